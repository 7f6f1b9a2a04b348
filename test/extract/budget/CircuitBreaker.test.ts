// When a service that fails every request is probed, in milliseconds that the test passes in.
import { describe, expect, it } from "vitest"
import { CircuitBreaker } from "../../../src/extract/budget/CircuitBreaker.ts"
import type { Failure } from "../../../src/extract/retry.ts"

const failure: Failure = { reason: { _tag: "ServerError" }, status: 500, detail: "no" }
const unreachable: Failure = { reason: { _tag: "Transport" }, detail: "ECONNREFUSED" }
const NOW = Date.UTC(2026, 0, 31, 10, 20, 30)
const MINUTE = 60_000

const failTimes = (breaker: CircuitBreaker, times: number, of = failure, endpoint = "fees") => {
  for (let count = 0; count < times; count += 1) breaker.failed(NOW, endpoint, of)
}

/** Fails requests until the circuit is open. Returns how long the next request waits. */
const fail = (breaker: CircuitBreaker, now: number): number => {
  for (let requests = 0; breaker.waitMillis(now, "fees") === 0; requests += 1) {
    expect(requests).toBeLessThan(100)
    breaker.failed(now, "fees", failure)
  }
  return breaker.waitMillis(now, "fees")
}

it("probes a service that fails again as soon as one that fails for the first time", () => {
  const breaker = new CircuitBreaker()
  const first = fail(breaker, 0)
  breaker.sent(10_000, "fees")
  // The longer it fails, the rarer the probes.
  expect(breaker.waitMillis(10_000, "fees")).toBeGreaterThan(first)
  breaker.succeeded()
  expect(breaker.waitMillis(10_000, "fees")).toBe(0)
  expect(fail(breaker, 20_000)).toBe(first)
})

it("pauses at the thirtieth failure in a row of a service that has responded", () => {
  const breaker = new CircuitBreaker()
  failTimes(breaker, 29)
  breaker.succeeded()
  // A success does not count, whatever comes after it.
  failTimes(breaker, 29, unreachable)
  expect(breaker.waitMillis(NOW, "fees")).toBe(0)
  expect(breaker.failureOf(NOW + MINUTE, "fees", 0)).toBeUndefined()
  failTimes(breaker, 1, unreachable)
  expect(breaker.waitMillis(NOW, "fees")).toBe(500)
  const working = new CircuitBreaker()
  working.succeeded()
  failTimes(working, 29, unreachable)
  expect(working.waitMillis(NOW, "fees")).toBe(0)
})

it("pauses at the fourth failure of a service that never responded, unless the failure is a response", () => {
  const silent = new CircuitBreaker()
  failTimes(silent, 3, unreachable)
  expect(silent.waitMillis(NOW, "fees")).toBe(0)
  failTimes(silent, 1, unreachable)
  expect(silent.waitMillis(NOW, "fees")).toBe(500)
  const failing = new CircuitBreaker()
  failTimes(failing, 1, failure)
  failTimes(failing, 28, unreachable)
  expect(failing.waitMillis(NOW, "fees")).toBe(0)
  failTimes(failing, 1, unreachable)
  expect(failing.waitMillis(NOW, "fees")).toBe(500)
})

it("probes ever more rarely, up to every half minute", () => {
  const breaker = new CircuitBreaker()
  failTimes(breaker, 30)
  const waits: Array<number> = []
  for (let probe = 0, now = NOW; probe < 9; probe += 1) {
    const wait = breaker.waitMillis(now, "fees")
    waits.push(wait)
    now += wait
    expect(breaker.waitMillis(now, "fees")).toBe(0)
    expect(breaker.waitMillis(now + MINUTE, "fees")).toBe(0)
    breaker.sent(now, "fees")
    breaker.failed(now, "fees", failure)
  }
  expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000])
})

it("lets each other endpoint try once", () => {
  const breaker = new CircuitBreaker()
  failTimes(breaker, 15)
  failTimes(breaker, 15, failure, "positions")
  expect(breaker.waitMillis(NOW, "fees")).toBe(500)
  expect(breaker.waitMillis(NOW, "positions")).toBe(500)
  expect(breaker.waitMillis(NOW, "loans")).toBe(0)
  breaker.sent(NOW, "loans")
  expect(breaker.waitMillis(NOW, "loans")).toBe(1000)
  breaker.succeeded()
  failTimes(breaker, 30)
  expect(breaker.waitMillis(NOW, "loans")).toBe(0)
})

describe("a request that is not sent", () => {
  it("fails once it may wait no longer, with what opened the circuit and since when that lasts", () => {
    const breaker = new CircuitBreaker()
    breaker.failed(NOW - 10_000, "fees", failure)
    failTimes(breaker, 28)
    breaker.failed(NOW + MINUTE, "fees", failure)
    breaker.failed(NOW + 2 * MINUTE, "fees", { ...failure, detail: "another" })
    breaker.sent(NOW + 2 * MINUTE, "fees")
    const at = NOW + 2 * MINUTE
    expect(breaker.failureOf(at, "fees", MINUTE + 1)).toBeUndefined()
    expect(breaker.failureOf(at, "fees", MINUTE)).toEqual({
      ...failure,
      detail: "not sent: every request has failed since 10:20:20 UTC: no",
      isFinal: true,
    })
  })

  it("is the probe instead where one is due, since a service that has responded may come back", () => {
    const breaker = new CircuitBreaker()
    failTimes(breaker, 30)
    expect(breaker.failureOf(NOW + 499, "fees", 0)).toBeDefined()
    expect(breaker.failureOf(NOW + 500, "fees", 0)).toBeUndefined()
    // Another endpoint may work.
    expect(breaker.failureOf(NOW + 499, "loans", 0)).toBeUndefined()
  })

  it("fails within two seconds where no response ever came, even where a probe is due", () => {
    const breaker = new CircuitBreaker()
    failTimes(breaker, 4, unreachable)
    expect(breaker.failureOf(NOW + 1999, "fees", MINUTE)).toBeUndefined()
    expect(breaker.failureOf(NOW + 2000, "fees", MINUTE)?.detail).toBe(
      "not sent: every request has failed since 10:20:30 UTC: ECONNREFUSED",
    )
    expect(breaker.failureOf(NOW + 999, "fees", 1000)).toBeUndefined()
    expect(breaker.failureOf(NOW + 1000, "fees", 1000)?.isFinal).toBe(true)
  })

  it("is sent where the service works", () => {
    const breaker = new CircuitBreaker()
    breaker.failed(NOW, "fees", unreachable)
    expect(breaker.failureOf(NOW + MINUTE, "fees", 0)).toBeUndefined()
    failTimes(breaker, 3, unreachable)
    breaker.succeeded()
    expect(breaker.failureOf(NOW + MINUTE, "fees", 0)).toBeUndefined()
  })
})
