// How many requests may be under way, and how far apart they start: concurrency by additive increase and multiplicative
// decrease, the rate learnt from 429s. Arithmetic of RequestBudget, without time or effects of its own.

export interface PaceOptions {
  /** Fixed number of requests under way; absent: adaptive. */
  readonly concurrency?: number | undefined
  readonly maxRequestsPerSecond?: number | undefined
}

const START_CONCURRENCY = 8
const MAX_CONCURRENCY = 32
const MIN_CONCURRENCY = 1
// Lower latencies are noise, not a sign of load.
const LATENCY_FLOOR_MILLIS = 250
const LATENCY_RISE = 4
// 429s that arrive together are one event: their requests were under way when the first came.
const EVENT_MILLIS = 1000
const WINDOW_MILLIS = 5000
const MIN_RATE = 0.1
// After a 429 the rate starts a little below the measured throughput and grows from there.
const BACK_OFF = 0.95
// Growth of the rate: half of it each second until the first 429, half as much after each further one, down to a growth
// that costs about one 429 in two hundred requests.
const SEARCH_PER_SECOND = 0.5
const PROBE_PER_SECOND = 0.004
const PROBE_PER_REQUEST = 0.0002
const SEARCH_AGAIN_MILLIS = 30_000
const SEARCH_AGAIN_REQUESTS = 400
const BARE_PAUSE_MILLIS = 1000

export class Pace {
  concurrency: number
  private readonly fixedConcurrency: boolean
  private readonly maxRate: number
  private window: number
  private rate: number
  /** Share by which the rate grows in each second without a 429. */
  private growth = SEARCH_PER_SECOND
  private calmSince = 0
  private calmRequests = 0
  private nextAt = 0
  private pausedUntil = 0
  /** When the first 429 since the last success came. */
  private limitedSince: number | undefined
  private eventEndsAt = 0
  private ratedAt = 0
  private successes: Array<number> = []
  private smoothedLatency = 0
  private bestLatency = Infinity

  constructor(options: PaceOptions = {}) {
    this.fixedConcurrency = options.concurrency !== undefined
    this.window = options.concurrency ?? START_CONCURRENCY
    this.concurrency = this.window
    this.maxRate = options.maxRequestsPerSecond ?? Infinity
    this.rate = this.maxRate
  }

  /** Requests per second; infinite until the first 429. */
  get limitPerSecond(): number {
    return this.rate
  }

  /** Milliseconds left of the pause that the service requested. */
  pauseMillis(now: number): number {
    return Math.max(0, this.pausedUntil - now)
  }

  /** Milliseconds without a success by the end of the pause; 0 without a pause. */
  limitedMillis(now: number): number {
    return this.pausedUntil > now ? this.pausedUntil - (this.limitedSince ?? now) : 0
  }

  /** Reserves the next start and returns 0, or returns how many milliseconds to wait before trying again. */
  reserve(now: number): number {
    if (this.pausedUntil > now) return this.pausedUntil - now
    if (this.rate === Infinity) return 0
    if (this.nextAt > now) return this.nextAt - now
    // A late start does not earn a burst: at most one interval is carried over.
    const interval = 1000 / this.rate
    this.nextAt = Math.max(this.nextAt, now - interval) + interval
    return 0
  }

  /** `latency`: absent where it says nothing about the load, as for a read that is slow by nature. */
  succeeded(now: number, latency: number | undefined): void {
    this.limitedSince = undefined
    this.successes.push(now)
    if (this.successes.length > 4096) this.successes = this.successes.slice(-2048)
    this.grow(now)
    if (latency !== undefined) this.observeLatency(latency)
  }

  /** A request without a response counts as one that took `latency` milliseconds. */
  failed(latency: number): void {
    if (latency > LATENCY_FLOOR_MILLIS) this.observeLatency(latency)
  }

  /** A 429; `delaySeconds` when the server said how long to wait. */
  rateLimited(now: number, delaySeconds: number | undefined): void {
    this.pausedUntil = Math.max(
      this.pausedUntil,
      now + (delaySeconds === undefined ? BARE_PAUSE_MILLIS : delaySeconds * 1000),
    )
    this.limitedSince ??= now
    if (now < this.eventEndsAt) return
    // A nearly steady rate is itself too high; a growing one has run ahead of the throughput.
    const isSteady = this.growth <= PROBE_PER_SECOND * 4
    const measured = isSteady ? this.rate : Math.min(this.rate, this.throughput(now))
    this.rate = Math.max(MIN_RATE, measured * BACK_OFF)
    this.growth = Math.max(this.probing, this.growth / 2)
    this.eventEndsAt = Math.max(now + EVENT_MILLIS, this.pausedUntil)
    this.ratedAt = this.eventEndsAt
    this.nextAt = this.pausedUntil
    this.calm(this.eventEndsAt)
    this.successes = []
    this.shrink(0.5)
  }

  /** Successes per second within the window. */
  private throughput(now: number): number {
    const since = now - WINDOW_MILLIS
    const recent = this.successes.filter((at) => at > since)
    const first = recent[0]
    return first === undefined ? 1 : recent.length / Math.max(1, (now - first) / 1000)
  }

  private grow(now: number): void {
    if (this.rate !== Infinity && now > this.ratedAt) {
      const seconds = (now - this.ratedAt) / 1000
      this.rate = Math.min(this.maxRate, this.rate * (1 + this.growth * seconds))
      this.ratedAt = now
      this.calmRequests += 1
      // After a long time without a 429 the limit may have been raised.
      if (now - this.calmSince > SEARCH_AGAIN_MILLIS && this.calmRequests > SEARCH_AGAIN_REQUESTS) {
        this.growth = Math.min(SEARCH_PER_SECOND, this.growth * 2)
        this.calm(now)
      }
    }
    if (this.fixedConcurrency) return
    this.window = Math.min(MAX_CONCURRENCY, this.window + 1 / this.window)
    this.concurrency = Math.floor(this.window)
  }

  private calm(now: number): void {
    this.calmSince = now
    this.calmRequests = 0
  }

  private get probing(): number {
    return Math.min(PROBE_PER_SECOND, PROBE_PER_REQUEST * this.rate)
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
