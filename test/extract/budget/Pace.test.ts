// The pace against limits it does not know, in simulated milliseconds.
import { describe, expect, it } from "vitest"
import { Latency } from "../../../src/extract/budget/Latency.ts"
import { Pace } from "../../../src/extract/budget/Pace.ts"
import { rememberedState } from "../../../src/extract/budget/PaceState.ts"

const MOST_AT_ONCE = 32

interface Limit {
  readonly perSecond: number
  readonly burst: number
  readonly latency: number
  readonly retryAfter: number | undefined
}

interface Sent {
  readonly at: number
  readonly passed: boolean
}

/** A token bucket, and callers that always want more: for `seconds`, or until `count` requests have passed. */
const play = (
  pace: Pace,
  limit: Limit,
  { seconds = Infinity, count = Infinity, from = 0 },
): ReadonlyArray<Sent> => {
  const sent: Array<Sent> = []
  let underWay: Array<{ readonly due: number; readonly passed: boolean }> = []
  let tokens = limit.burst
  let refilledAt = from
  let done = 0
  for (let now = from; now < from + seconds * 1000 && done < count; now += 1) {
    for (const { due, passed } of underWay) {
      if (due > now) continue
      if (passed) {
        done += 1
        pace.succeeded(now)
      } else pace.rateLimited(now, limit.retryAfter)
    }
    underWay = underWay.filter(({ due }) => due > now)
    while (underWay.length < pace.concurrency && pace.reserve(now) <= 0) {
      tokens = Math.min(limit.burst, tokens + ((now - refilledAt) * limit.perSecond) / 1000)
      refilledAt = now
      const passed = tokens >= 1
      if (passed) tokens -= 1
      sent.push({ at: now - from, passed })
      underWay.push({ due: now + limit.latency, passed })
    }
  }
  return sent
}

const refused = (sent: ReadonlyArray<Sent>): number => sent.filter(({ passed }) => !passed).length

/** Those of the seconds from `from` on, before `to`. */
const within = (sent: ReadonlyArray<Sent>, from: number, to: number) =>
  sent.filter(({ at }) => at >= from * 1000 && at < to * 1000)

const limitsOf = (
  perSeconds: ReadonlyArray<number>,
  bursts: ReadonlyArray<number>,
  latencies: ReadonlyArray<number>,
): ReadonlyArray<Limit> =>
  perSeconds.flatMap((perSecond) =>
    bursts.flatMap((burstSeconds) =>
      latencies.flatMap((latency) =>
        [undefined, 1].map((retryAfter) => ({
          perSecond,
          burst: perSecond * burstSeconds,
          latency,
          retryAfter,
        })),
      ),
    ),
  )

/** What 32 requests at once can use of the limit. */
const usable = ({ perSecond, latency }: Limit): number =>
  Math.min(perSecond, (MOST_AT_ONCE * 1000) / latency)

const HOUR = 3_600_000

describe("Pace", () => {
  it.each(limitsOf([2, 5, 20, 60, 200, 300], [1, 5], [2, 50, 300]))(
    "uses 95%% of $perSecond/s, burst $burst, at $latency ms, with less than 0.5%% of 429s",
    (limit) => {
      const sent = within(play(new Pace(), limit, { seconds: 240 }), 60, 240)
      const used = (sent.length - refused(sent)) / 180 / usable(limit)
      expect(used).toBeGreaterThan(0.95)
      expect(refused(sent) / sent.length).toBeLessThan(0.005)
    },
  )

  it.each(limitsOf([20, 60, 200], [1 / 6], [2, 50, 300]))(
    "finds $perSecond/s within a minute where fewer may come at once: $burst, at $latency ms",
    (limit) => {
      const sent = within(play(new Pace(), limit, { seconds: 120 }), 60, 120)
      expect((sent.length - refused(sent)) / 60 / usable(limit)).toBeGreaterThan(0.9)
    },
  )

  it.each(limitsOf([5, 20, 60, 200], [1], [2, 50, 300]))(
    "meets one burst of 429s on its first run against $perSecond/s at $latency ms, and less than 0.5%% after it",
    (limit) => {
      const sent = play(new Pace(), limit, { count: 1000 })
      const first = sent.find(({ passed }) => !passed)?.at ?? 0
      const ofBurst = sent.filter(({ at }) => at <= first + limit.latency)
      expect(refused(ofBurst)).toBeLessThanOrEqual(MOST_AT_ONCE)
      const after = sent.filter(({ at }) => at > first + limit.latency)
      expect(refused(after) / sent.length).toBeLessThan(0.005)
    },
  )

  it.each(limitsOf([5, 20, 60, 200], [1, 5], [2, 50, 300]))(
    "starts from a limit of $perSecond/s, burst $burst, that it learnt an hour ago",
    (limit) => {
      const before = new Pace()
      play(before, limit, { count: 3000 })
      const from = HOUR * 24
      const pace = new Pace({}, rememberedState({}, before.learnt(from - HOUR), from))
      const sent = play(pace, limit, { count: 1000, from })
      expect(refused(sent) / sent.length).toBeLessThan(0.005)
      const seconds = (sent.at(-1)?.at ?? 0) / 1000
      expect((sent.length - refused(sent)) / seconds / usable(limit)).toBeGreaterThan(0.93)
    },
  )

  it("finds a lower limit at once and a higher one within minutes", () => {
    const limited = (perSecond: number): Limit => ({
      perSecond,
      burst: perSecond,
      latency: 50,
      retryAfter: undefined,
    })
    const at = (from: number) => ({ from, seconds: 300 })
    const learnt = (perSecond: number) => ({ window: 16, rate: perSecond, at: 0 })
    const lowered = play(new Pace({}, rememberedState({}, learnt(200), 0)), limited(10), at(0))
    expect(refused(lowered)).toBeLessThan(40)
    expect(within(lowered, 5, 60).length / 55).toBeLessThan(11)
    expect(within(lowered, 5, 60).length / 55).toBeGreaterThan(9)
    const raised = play(new Pace({}, rememberedState({}, learnt(20), 0)), limited(100), at(0))
    expect(within(raised, 270, 300).length / 30).toBeGreaterThan(80)
  })

  it("trusts what it learnt less the older it is", () => {
    const learnt = { window: 32, rate: 50, at: 0 }
    const states = [0, 7, 70].map((days) => rememberedState({}, learnt, days * 24 * HOUR))
    expect(states.map(({ window }) => Math.round(window))).toEqual([32, 16, 8])
    const [fresh = 0, week = 0, old = 0] = states.map(({ growth }) => growth)
    expect(fresh).toBeLessThan(0.002)
    expect(week).toBeGreaterThan(10 * fresh)
    expect(old).toBeGreaterThan(0.4)
  })

  it("does not learn a limit from a rate that is set, nor a higher rate from one that nobody uses", () => {
    const fixed = new Pace({ maxRequestsPerSecond: 10 })
    for (let now = 0; now < 60_000; now += 100) if (fixed.reserve(now) === 0) fixed.succeeded(now)
    expect(fixed.learnt(60_000)).toEqual({ window: 32, rate: Infinity, at: 60_000 })
    const unused = new Pace({}, rememberedState({}, { window: 8, rate: 50, at: 0 }, 0))
    for (let now = 0; now < 3_600_000; now += 1000) {
      expect(unused.reserve(now)).toBe(0)
      unused.succeeded(now, false)
    }
    expect(unused.limitPerSecond).toBe(50)
  })

  it("takes a 429 that stays alone for no limit, but pauses", () => {
    const pace = new Pace()
    for (let now = 0; now < 100; now += 10) if (pace.reserve(now) === 0) pace.succeeded(now)
    pace.rateLimited(100, undefined)
    expect(pace.reserve(1099)).toBe(1)
    for (let now = 1100; now < 70_000; now += 100) pace.succeeded(now)
    pace.rateLimited(70_000, undefined)
    expect(pace.limitPerSecond).toBe(Infinity)
    pace.rateLimited(72_000, undefined)
    expect(pace.limitPerSecond).toBeLessThan(20)
  })

  it("doubles the requests under way in each round trip", () => {
    const pace = new Pace()
    const free = { perSecond: 1e6, burst: 1e6, latency: 300, retryAfter: undefined }
    const sent = play(pace, free, { seconds: 1.1 })
    const starts = [0, 300, 600, 900].map((from) => sent.filter(({ at }) => at === from).length)
    expect(starts).toEqual([8, 16, 32, 32])
  })

  it("stops doubling when more under way bring no more through", () => {
    const pace = new Pace()
    // A service that works on eight requests at a time, each for 50 ms.
    let ends: ReadonlyArray<number> = []
    for (let now = 0; now < 400; now += 1) {
      for (const end of ends) if (end <= now) pace.succeeded(now)
      ends = ends.filter((end) => end > now)
      while (ends.length < pace.concurrency) {
        const begins = ends.toSorted((one, other) => one - other).at(-8) ?? now
        ends = [...ends, Math.max(now, begins) + 50]
      }
    }
    expect(pace.concurrency).toBeLessThan(13)
  })

  it("lets no more under way while fewer are wanted", () => {
    const pace = new Pace()
    for (let now = 0; now < 10_000; now += 100) pace.succeeded(now, false)
    expect(pace.concurrency).toBe(8)
  })

  it("never goes above a fixed rate", () => {
    const limit = { perSecond: 1000, burst: 1000, latency: 5, retryAfter: undefined }
    const sent = play(new Pace({ maxRequestsPerSecond: 10 }), limit, { seconds: 60 })
    expect(sent.length).toBeGreaterThan(590)
    expect(sent.length).toBeLessThanOrEqual(601)
  })

  it("keeps a fixed number under way", () => {
    const pace = new Pace({ concurrency: 3 })
    const limit = { perSecond: 5, burst: 5, latency: 50, retryAfter: undefined }
    play(pace, limit, { seconds: 20 })
    expect(pace.concurrency).toBe(3)
  })

  it("starts nothing during a pause", () => {
    const pace = new Pace()
    pace.rateLimited(1000, 30)
    expect(pace.reserve(30_999)).toBe(1)
    expect(pace.pauseMillis(1000)).toBe(30_000)
    expect(pace.reserve(31_000)).toBe(0)
  })

  it("lowers the concurrency when responses slow down", () => {
    const { pace, respond } = responses()
    for (let now = 0; now < 2000; now += 5) respond(now, 5)
    const open = pace.concurrency
    for (let now = 2000; now < 60_000; now += 1000) respond(now, 5000)
    expect(open).toBeGreaterThan(16)
    expect(pace.concurrency).toBeLessThan(open / 2)
  })

  it("halves the rate after a 429 before enough has come through to know it", () => {
    const pace = new Pace({ maxRequestsPerSecond: 100 })
    pace.succeeded(0)
    pace.rateLimited(1000, 1)
    expect(pace.limitPerSecond).toBe(50)
  })

  it("takes 429s of a second, or of their pause, for one event", () => {
    const pace = new Pace({ maxRequestsPerSecond: 100 })
    const at = (now: number, delaySeconds: number): number => {
      pace.rateLimited(now, delaySeconds)
      return pace.limitPerSecond
    }
    const atAfterSuccess = (now: number, delaySeconds: number): number => {
      pace.succeeded(now)
      return at(now, delaySeconds)
    }
    expect([atAfterSuccess(1000, 0.1), at(1999, 0.1)]).toEqual([50, 50])
    expect([atAfterSuccess(2000, 3), at(4999, 0.1)]).toEqual([25, 25])
    expect(atAfterSuccess(5000, 0.1)).toBe(12.5)
    expect(pace.eventEndsAt).toBe(6000)
  })

  it("never slows down below a request in ten seconds", () => {
    const pace = new Pace({ maxRequestsPerSecond: 0.3 })
    const rates = [10_000, 11_000, 12_000].map((now) => {
      pace.succeeded(now)
      pace.rateLimited(now, undefined)
      return pace.limitPerSecond
    })
    expect(rates).toEqual([0.15, 0.1, 0.1])
  })

  it("pauses for a quarter of an hour at most, so that somebody asks again", () => {
    const pace = new Pace()
    pace.rateLimited(1000, 86_400)
    expect(pace.pauseMillis(1000)).toBe(900_000)
    expect(pace.reserve(901_000)).toBe(0)
  })

  it("learns nothing from 429s before which nothing came through, and pauses as long as that lasts", () => {
    const pace = new Pace({ maxRequestsPerSecond: 100 })
    const { rate, growth } = pace.state
    pace.rateLimited(1000, undefined)
    const pauses = [2000, 3000, 5000, 9000, 17_000, 32_000].map((now) => {
      pace.rateLimited(now, undefined)
      return pace.pauseMillis(now)
    })
    expect(pauses).toEqual([1000, 2000, 4000, 8000, 15_000, 15_000])
    expect(pace.state).toMatchObject({ rate, growth })
  })

  it("pauses as long as any 429 asks for, and knows for how long none has succeeded", () => {
    const pace = new Pace()
    pace.rateLimited(1000, 30)
    pace.rateLimited(2000, 1)
    expect([pace.pauseMillis(2000), pace.limitedMillis(2000)]).toEqual([29_000, 30_000])
    expect([pace.pauseMillis(31_000), pace.limitedMillis(31_000)]).toEqual([0, 0])
    pace.rateLimited(31_000, 20)
    expect([pace.pauseMillis(31_000), pace.limitedMillis(31_000)]).toEqual([20_000, 50_000])
    pace.succeeded(36_000)
    pace.rateLimited(52_000, 5)
    expect(pace.limitedMillis(52_000)).toBe(5000)
  })

  it("grows after a 429 with the time in which requests succeed, up to the fixed rate", () => {
    const pace = new Pace({ maxRequestsPerSecond: 100 })
    pace.succeeded(0)
    pace.rateLimited(1000, 1)
    const rateAt = (now: number): number => {
      pace.succeeded(now)
      return pace.limitPerSecond
    }
    // A quarter in each second after the pause; successes need not arrive in order.
    expect([1500, 2000, 4000, 3000, 5000, 8000].map(rateAt)).toEqual([50, 50, 75, 75, 93.75, 100])
  })

  it("starts requests an interval apart, of which one may be made up for", () => {
    const pace = new Pace({ maxRequestsPerSecond: 10 })
    expect([0, 0, 100, 1000, 1000, 1000].map((now) => pace.reserve(now))).toEqual([
      0, 100, 0, 0, 0, 100,
    ])
    const divided = new Pace({ maxRequestsPerSecond: 10 })
    expect([0, 0, 1000, 1000, 1000].map((now) => divided.reserve(now, 2))).toEqual([
      0, 200, 0, 0, 200,
    ])
  })

  it("reserves starts ahead, after those that are reserved and after a pause", () => {
    const pace = new Pace({ maxRequestsPerSecond: 10 })
    expect(pace.reserveAhead(1000, 3)).toEqual([1000, 1100, 1200])
    expect(pace.reserveAhead(1000, 0)).toEqual([])
    expect(pace.reserve(1000)).toBe(300)
    expect(pace.reserveAhead(1000, 1)).toEqual([1300])
    pace.succeeded(1400)
    pace.rateLimited(1500, 30)
    expect(pace.reserveAhead(1600, 2)).toEqual([31_500, 31_700])
  })

  describe("goes on after a 429 with what came through before", () => {
    const SECONDS = 10
    const UP_TO = 100

    /** The rate after a request each `every` ms at most, of which one in `of` succeeds. */
    const rateAfter = (every: number, of: number): number => {
      const pace = new Pace({ maxRequestsPerSecond: UP_TO })
      for (let sent = 0; sent * every < SECONDS * 1000; sent += 1) {
        expect(pace.reserve(sent * every)).toBe(0)
        if (sent % of === 0) pace.succeeded(sent * every)
      }
      pace.rateLimited(SECONDS * 1000, 1)
      return pace.limitPerSecond
    }

    it("in all the time since the first request", () => {
      expect(rateAfter(1000 / UP_TO, 2)).toBeCloseTo((0.98 * UP_TO) / 2, 6)
    })

    it("but in no moment, however short, in which nobody wanted to send", () => {
      // Each comes a millisecond later than it might.
      expect(rateAfter(1000 / UP_TO + 1, 2)).toBeCloseTo((0.98 * UP_TO) / 2, 0)
    })
  })
})

const responses = () => {
  const pace = new Pace()
  const latencies = new Latency()
  const respond = (now: number, latency: number) => {
    pace.succeeded(now)
    if (latencies.hasRisen(latency)) pace.slowed()
  }
  return { pace, respond }
}
