// The pace against a number of requests for each minute, and against a service that refuses everything, in simulated
// milliseconds.
import { describe, expect, it } from "vitest"
import { Pace } from "../../../src/extract/budget/Pace.ts"
import { rememberedState } from "../../../src/extract/budget/PaceState.ts"

interface Limit {
  readonly perMinute: number
  readonly latency: number
  readonly retryAfter: number | undefined
}

const MINUTE = 60_000
// Runs don't begin with a minute of the service.
const FIRST_END = 43_000

/** Callers that always want more, and whether each of their requests passed. */
const play = (pace: Pace, { perMinute, latency, retryAfter }: Limit, minutes: number) => {
  const sent: Array<{ readonly at: number; readonly passed: boolean }> = []
  let underWay: typeof sent = []
  let used = 0
  for (let now = 0; now < minutes * MINUTE; now += 1) {
    if (now % MINUTE === FIRST_END) used = 0
    for (const { at, passed } of underWay) {
      if (at + latency > now) continue
      if (passed) pace.succeeded(now)
      else pace.rateLimited(now, retryAfter)
    }
    underWay = underWay.filter(({ at }) => at + latency > now)
    while (underWay.length < pace.concurrency && pace.reserve(now) <= 0) {
      const request = { at: now, passed: used < perMinute }
      used += 1
      sent.push(request)
      underWay.push(request)
    }
  }
  return sent
}

const limits = [60, 300, 1200].flatMap((perMinute) =>
  [2, 50, 300].flatMap((latency) =>
    [undefined, 1].map((retryAfter) => ({ perMinute, latency, retryAfter })),
  ),
)

describe("Pace", () => {
  it.each(limits)(
    "uses most of $perMinute a minute, at $latency ms, Retry-After $retryAfter",
    (limit) => {
      const sent = play(new Pace(), limit, 10).filter(({ at }) => at >= MINUTE)
      const passed = sent.filter((request) => request.passed).length
      expect(passed / 9 / limit.perMinute).toBeGreaterThan(0.85)
      expect((sent.length - passed) / 9).toBeLessThan(80)
    },
  )

  it.each([2, 300])(
    "asks a service that refuses everything ever less often, at %s ms",
    (latency) => {
      const learnt = rememberedState({}, { window: 16, rate: 50, at: 0 }, 0)
      const pace = new Pace({}, learnt)
      const sent = play(pace, { perMinute: 0, latency, retryAfter: undefined }, 10)
      expect(sent.length).toBeLessThan(80)
      expect(sent.filter(({ at }) => at > MINUTE).length).toBeLessThan(45)
      expect(pace.limitPerSecond).toBe(50)
    },
  )

  it.each([50, Infinity])(
    "leaves a rate of %s as it is, however many runs begin refused",
    (rate) => {
      const nothing = { perMinute: 0, latency: 50, retryAfter: undefined }
      let learnt = { window: 16, rate, at: 0 }
      for (let run = 0; run < 10; run += 1) {
        const pace = new Pace({}, rememberedState({}, learnt, 0))
        play(pace, nothing, 2)
        learnt = pace.learnt(0)
      }
      expect(learnt.rate).toBe(rate)
    },
  )

  it("finds a lower limit after a run that began refused", () => {
    const before = new Pace({}, rememberedState({}, { window: 16, rate: 50, at: 0 }, 0))
    play(before, { perMinute: 0, latency: 50, retryAfter: undefined }, 2)
    const pace = new Pace({}, rememberedState({}, before.learnt(0), 0))
    const limit = { perMinute: 300, latency: 50, retryAfter: undefined }
    const sent = play(pace, limit, 10).filter(({ at }) => at >= MINUTE)
    const passed = sent.filter((request) => request.passed).length
    expect(passed / 9 / limit.perMinute).toBeGreaterThan(0.85)
    expect((sent.length - passed) / 9).toBeLessThan(80)
    expect(pace.limitPerSecond).toBeLessThan(50)
  })
})
