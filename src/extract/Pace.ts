// The arithmetic of RequestBudget, without time or effects of its own: additive increase, multiplicative
// decrease for the number of requests under way, and a learnt rate once the service has refused one.

export interface PaceOptions {
  /** Fixed number of requests under way; absent: adaptive. */
  readonly concurrency?: number | undefined
  readonly maxRequestsPerSecond?: number | undefined
}

const START_CONCURRENCY = 8
const MAX_CONCURRENCY = 32
const MIN_CONCURRENCY = 1
// Below this, waiting is noise of the machine and not a sign of load.
const LATENCY_FLOOR_MILLIS = 250
const LATENCY_RISE = 4
// Refusals that arrive together are one event: requests already under way when the first came.
const EVENT_MILLIS = 1000
const WINDOW_MILLIS = 5000
// After a refusal, go a little below what was seen to pass, and probe upwards from there.
const BACK_OFF = 0.95
const PROBE_PER_SECOND = 0.004
const RECOVER_PER_SECOND = 0.05
const BARE_PAUSE_MILLIS = 1000

export class Pace {
  concurrency: number
  private readonly fixedConcurrency: boolean
  private readonly maxRate: number
  private window: number
  /** Requests per second; infinite until the service first refuses. */
  private rate: number
  /** Rate at the last refusal: below it, recover quickly; above it, probe slowly. */
  private ceiling = Infinity
  private nextAt = 0
  private pausedUntil = 0
  private eventEndsAt = 0
  private ratedAt = 0
  private passed: Array<number> = []
  private smoothedLatency = 0
  private bestLatency = Infinity

  constructor(options: PaceOptions = {}) {
    this.fixedConcurrency = options.concurrency !== undefined
    this.window = options.concurrency ?? START_CONCURRENCY
    this.concurrency = this.window
    this.maxRate = options.maxRequestsPerSecond ?? Infinity
    this.rate = this.maxRate
  }

  pause(now: number): number {
    return Math.max(0, this.pausedUntil - now)
  }

  /** Takes the next start, or says how many milliseconds to wait before asking again. */
  reserve(now: number): number {
    if (this.pausedUntil > now) return this.pausedUntil - now
    if (this.rate === Infinity) return 0
    if (this.nextAt > now) return this.nextAt - now
    // A late start does not earn a burst: at most one interval is carried over.
    const interval = 1000 / this.rate
    this.nextAt = Math.max(this.nextAt, now - interval) + interval
    return 0
  }

  answered(now: number, latency: number): void {
    this.passed.push(now)
    if (this.passed.length > 4096) this.passed = this.passed.slice(-2048)
    this.grow(now)
    this.observeLatency(latency)
  }

  /** A 429; `delaySeconds` when the server said how long to wait. */
  refused(now: number, delaySeconds: number | undefined): void {
    this.pausedUntil = Math.max(
      this.pausedUntil,
      now + (delaySeconds === undefined ? BARE_PAUSE_MILLIS : delaySeconds * 1000),
    )
    if (now < this.eventEndsAt) return
    const throughput = this.throughput(now)
    this.eventEndsAt = Math.max(now + EVENT_MILLIS, this.pausedUntil)
    this.ceiling = Math.min(this.rate, throughput)
    this.rate = Math.max(0.1, this.ceiling * BACK_OFF)
    this.ratedAt = this.eventEndsAt
    this.nextAt = this.pausedUntil
    this.passed = []
    this.shrink(0.5)
  }

  /** Requests per second that passed lately. */
  private throughput(now: number): number {
    const since = now - WINDOW_MILLIS
    const recent = this.passed.filter((at) => at > since)
    const first = recent[0]
    return first === undefined ? 1 : recent.length / Math.max(1, (now - first) / 1000)
  }

  private grow(now: number): void {
    if (this.rate !== Infinity && now > this.ratedAt) {
      const seconds = (now - this.ratedAt) / 1000
      const perSecond = this.rate < this.ceiling * 0.98 ? RECOVER_PER_SECOND : PROBE_PER_SECOND
      this.rate = Math.min(this.maxRate, this.rate * (1 + perSecond * seconds))
      this.ratedAt = now
    }
    if (this.fixedConcurrency) return
    this.window = Math.min(MAX_CONCURRENCY, this.window + 1 / this.window)
    this.concurrency = Math.floor(this.window)
  }

  private observeLatency(latency: number): void {
    this.bestLatency = Math.min(this.bestLatency, latency)
    this.smoothedLatency = this.smoothedLatency * 0.8 + latency * 0.2
    const limit = Math.max(LATENCY_FLOOR_MILLIS, this.bestLatency * LATENCY_RISE)
    if (this.smoothedLatency > limit) {
      this.smoothedLatency = limit / 2
      this.shrink(0.8)
    }
  }

  private shrink(factor: number): void {
    if (this.fixedConcurrency) return
    this.window = Math.max(MIN_CONCURRENCY, this.window * factor)
    this.concurrency = Math.max(MIN_CONCURRENCY, Math.floor(this.window))
  }
}
