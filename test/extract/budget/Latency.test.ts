// When the latency of an endpoint has risen so far that the service has too much to do.
import { expect, it } from "vitest"
import { Latency } from "../../../src/extract/budget/Latency.ts"

/** Which of the latencies are taken for a rise. */
const rises = (...latencies: ReadonlyArray<number>): ReadonlyArray<number> => {
  const known = new Latency()
  return latencies.flatMap((latency, index) => (known.hasRisen(latency) ? [index] : []))
}

const times = (count: number, latency: number) => Array.from({ length: count }, () => latency)

it("is never a rise up to a quarter of a second, however fast the fastest was", () => {
  expect(rises(1, ...times(50, 250))).toEqual([])
  expect(rises(1, ...times(50, 251)).length).toBeGreaterThan(0)
})

it("is a rise where the mean of the last few is more than four times the fastest", () => {
  expect(rises(...times(50, 100), ...times(50, 400))).toEqual([])
  expect(rises(...times(50, 100), ...times(50, 401)).length).toBeGreaterThan(0)
  // One slow response does it only if it is very slow.
  expect(rises(...times(50, 100), 1599)).toEqual([])
  expect(rises(...times(50, 100), 1601)).toEqual([50])
})

it("is not a rise again before it has stayed so for a while", () => {
  expect(rises(...times(50, 100), 2000, 300, 300, 300, 800, 800)).toEqual([50, 55])
})

it("is that of an endpoint that was always slow", () => {
  expect(rises(...times(50, 20_000))).toEqual([])
})

it("is also that of a request that failed, unless it failed at once", () => {
  const known = new Latency()
  known.hasRisen(10)
  expect(known.hasRisenInFailure(250)).toBe(false)
  expect(known.hasRisenInFailure(2000)).toBe(true)
  const failing = new Latency()
  // A refused connection is no fast response.
  for (const latency of times(50, 1)) expect(failing.hasRisenInFailure(latency)).toBe(false)
  for (const latency of times(50, 300)) expect(failing.hasRisenInFailure(latency)).toBe(false)
})
