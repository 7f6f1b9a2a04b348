// The pace against limits it does not know, in simulated milliseconds.
import { describe, expect, it } from "vitest"
import { Latency } from "../../src/extract/Latency.ts"
import { Pace } from "../../src/extract/Pace.ts"

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

/** A token bucket, and callers that always want more. */
const play = (pace: Pace, limit: Limit, seconds: number): ReadonlyArray<Sent> => {
  const sent: Array<Sent> = []
  let underWay: Array<{ readonly due: number; readonly passed: boolean }> = []
  let tokens = limit.burst
  let refilledAt = 0
  for (let now = 0; now < seconds * 1000; now += 1) {
    for (const { due, passed } of underWay) {
      if (due > now) continue
      if (passed) pace.succeeded(now)
      else pace.rateLimited(now, limit.retryAfter)
    }
    underWay = underWay.filter(({ due }) => due > now)
    while (underWay.length < pace.concurrency && pace.reserve(now) <= 0) {
      tokens = Math.min(limit.burst, tokens + ((now - refilledAt) * limit.perSecond) / 1000)
      refilledAt = now
      const passed = tokens >= 1
      if (passed) tokens -= 1
      sent.push({ at: now, passed })
      underWay.push({ due: now + limit.latency, passed })
    }
  }
  return sent
}

const limits: ReadonlyArray<Limit> = [2, 20, 100, 300].flatMap((perSecond) =>
  [1, 5].flatMap((burstSeconds) =>
    [2, 50].flatMap((latency) =>
      [undefined, 1].map((retryAfter) => ({
        perSecond,
        burst: perSecond * burstSeconds,
        latency,
        retryAfter,
      })),
    ),
  ),
)

describe("Pace", () => {
  it.each(limits)("converges to 95%% of $perSecond/s, burst $burst, under 1%% of 429s", (limit) => {
    const seconds = 180
    const converged = play(new Pace(), limit, seconds).filter(({ at }) => at > 60_000)
    const passed = converged.filter((request) => request.passed).length
    expect(passed / (seconds - 60) / limit.perSecond).toBeGreaterThan(0.95)
    expect((converged.length - passed) / converged.length).toBeLessThan(0.01)
  })

  it("never goes above a fixed rate", () => {
    const limit = { perSecond: 1000, burst: 1000, latency: 5, retryAfter: undefined }
    const sent = play(new Pace({ maxRequestsPerSecond: 10 }), limit, 60)
    expect(sent.length).toBeGreaterThan(590)
    expect(sent.length).toBeLessThanOrEqual(601)
  })

  it("keeps a fixed number under way", () => {
    const pace = new Pace({ concurrency: 3 })
    play(pace, { perSecond: 5, burst: 5, latency: 50, retryAfter: undefined }, 20)
    expect(pace.concurrency).toBe(3)
  })

  it("starts nothing during a pause", () => {
    const pace = new Pace()
    pace.rateLimited(1000, 30)
    expect(pace.reserve(30_999)).toBe(1)
    expect(pace.pauseMillis(1000)).toBe(30_000)
    expect(pace.reserve(31_000)).toBe(0)
  })

  it("raises the concurrency while responses are fast and lowers it when they slow down", () => {
    const pace = new Pace()
    const latencies = new Latency()
    const respond = (now: number, latency: number) => {
      pace.succeeded(now)
      if (latencies.hasRisen(latency)) pace.slowed()
    }
    for (let count = 0; count < 500; count += 1) respond(count, 5)
    const open = pace.concurrency
    for (let count = 0; count < 50; count += 1) respond(1000 + count, 5000)
    expect(open).toBeGreaterThan(16)
    expect(pace.concurrency).toBeLessThan(open / 2)
  })
})
