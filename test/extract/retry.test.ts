// How often, for how long and after which delay a call may be retried, and what is said where it may not.
import { describe, expect, it } from "vitest"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { unrealizedPnl } from "../../src/extract/endpoints/transparency/unrealized_pnl.ts"
import {
  backoffMillis,
  durationText,
  type Failure,
  maxAttempts,
  outOfTime,
  retryMillis,
} from "../../src/extract/retry.ts"

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

describe("the attempts of a call", () => {
  it("are ten, or two where the task failed in the same way in the run before", () => {
    expect(maxAttempts(unrealizedPnl, refused, undefined)).toBe(10)
    expect(maxAttempts(unrealizedPnl, refused, "Timeout")).toBe(10)
    expect(maxAttempts(unrealizedPnl, refused, "ServerError")).toBe(2)
  })

  it("are enough to find an absence that was not one in the run before", () => {
    const mayBeAbsence: Failure = { ...refused, reasonIfRepeated: { _tag: "Unsupported" } }
    expect(maxAttempts(unrealizedPnl, mayBeAbsence, "ServerError")).toBe(10)
  })

  it("are one where another could do something twice", () => {
    expect(maxAttempts({ ...unrealizedPnl, unsafe: true }, refused, undefined)).toBe(1)
  })
})

describe("the delay before the next attempt", () => {
  const delay = (random: number, attempts: number, delaySeconds?: number): number =>
    Effect.runSync(
      backoffMillis(attempts, delaySeconds).pipe(
        Effect.provideService(Random.Random, {
          nextIntUnsafe: () => 0,
          nextDoubleUnsafe: () => random,
        }),
      ),
    )

  it("doubles with each attempt, up to twenty seconds, and is any part of that", () => {
    const most = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((attempts) => delay(1, attempts))
    expect(most).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 20_000, 20_000, 20_000])
    expect(delay(0.5, 2)).toBe(500)
    expect(delay(0, 9)).toBe(0)
  })

  it("is never shorter than the service asks for, and no two calls are tried at the same instant", () => {
    expect(delay(0, 1, 3)).toBe(3000)
    expect(delay(1, 1, 3)).toBe(3250)
    expect(delay(0.5, 4, 3)).toBe(3125)
    expect(delay(0.5, 7, 3)).toBe(10_000)
  })
})

describe("a call without time left", () => {
  const asked: Failure = { ...refused, delaySeconds: 30 }

  it("fails as it did where the service asks for no delay, or for one there is time for", () => {
    expect(outOfTime(refused, 0, 120_000)).toBe(refused)
    expect(outOfTime(asked, 30_000, 120_000)).toBe(asked)
  })

  it("is rate-limited where the service asks to wait longer than what is left", () => {
    expect(outOfTime(asked, 29_999, 120_000)).toEqual({
      ...asked,
      reason: { _tag: "RateLimited", delaySeconds: 30 },
      detail: "no; the service asks to wait 30 s more, and the 2 min that a run waits are over",
    })
    // What it asks for is as long as a run waits, not longer.
    expect(outOfTime(asked, 0, 30_000).detail).toContain("30 s more")
    expect(outOfTime(asked, 0, 29_000).detail).toBe(
      "no; the service asks to wait 30 s, longer than the 29 s that a run waits",
    )
  })
})

it.each([
  [0.2, "1 s"],
  [45, "45 s"],
  [119, "119 s"],
  [120, "2 min"],
  [121, "3 min"],
  [7199, "120 min"],
  [7200, "2 h"],
  [9000, "2.5 h"],
  [9001, "2.6 h"],
])("writes %d seconds as %s", (seconds, text) => {
  expect(durationText(seconds)).toBe(text)
})
