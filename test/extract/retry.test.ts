// How long a call may be retried.
import { expect, it } from "vitest"
import { unrealizedPnl } from "../../src/extract/endpoints/transparency/unrealized_pnl.ts"
import { type Failure, retryMillis } from "../../src/extract/retry.ts"

const slow = { ...unrealizedPnl, attemptSeconds: 60 }
const refused: Failure = { reason: { _tag: "ServerError" }, status: 500, detail: "no" }
const timeout: Failure = {
  reason: { _tag: "Timeout", of: "attempt", seconds: 60 },
  detail: "no response",
}

it("gives a slow request that timed out the time of one more attempt", () => {
  expect(retryMillis(120, slow, refused)).toBe(120_000)
  expect(retryMillis(120, slow, timeout)).toBe(180_000)
  expect(retryMillis(120, unrealizedPnl, timeout)).toBe(120_000)
})

it("gives no time at all where retries are disabled", () => {
  expect(retryMillis(0, slow, timeout)).toBe(0)
})
