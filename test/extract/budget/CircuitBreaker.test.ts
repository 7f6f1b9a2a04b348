// When a service that fails every request is probed, in milliseconds that the test passes in.
import { expect, it } from "vitest"
import { CircuitBreaker } from "../../../src/extract/budget/CircuitBreaker.ts"
import type { Failure } from "../../../src/extract/retry.ts"

const failure: Failure = { reason: { _tag: "ServerError" }, status: 500, detail: "no" }

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
