// Decides how many requests may be under way and how far apart they start. Concurrency follows additive increase and
// multiplicative decrease; the rate is learnt from 429s. RequestBudget passes in the time.
import * as Schema from "effect/Schema"

export interface PaceOptions {
  /** A fixed number of requests under way; if absent, it is adapted. */
  readonly concurrency?: number | undefined
  readonly maxRequestsPerSecond?: number | undefined
}

const START_CONCURRENCY = 8
const MAX_CONCURRENCY = 32
const MIN_CONCURRENCY = 1
// 429s that arrive together are one event: their requests were already under way when the first one arrived.
const EVENT_MILLIS = 1000
const WINDOW_MILLIS = 5000
// Successes closer together than this are counted together.
const INSTANT_MILLIS = 100
const MIN_RATE = 0.1
// After a 429 the rate starts a little below the measured throughput and grows from there.
const BACK_OFF = 0.95
// The rate grows by half each second until the first 429. Each further 429 halves the growth, down to a growth that
// costs about one 429 in two hundred requests.
const SEARCH_PER_SECOND = 0.5
const PROBE_PER_SECOND = 0.004
const PROBE_PER_REQUEST = 0.0002
const SEARCH_AGAIN_MILLIS = 30_000
const SEARCH_AGAIN_REQUESTS = 400
const BARE_PAUSE_MILLIS = 1000

/** What a pace has learnt; times are milliseconds of one clock. Processes that share a pace exchange it as JSON. */
export const PaceState = Schema.Struct({
  /** How many requests may be under way, before rounding down. */
  window: Schema.Number,
  /** Requests per second. */
  rate: Schema.Number,
  /** The share by which the rate grows in each second without a 429. */
  growth: Schema.Number,
  ratedAt: Schema.Number,
  calmSince: Schema.Number,
  calmRequests: Schema.Number,
  nextAt: Schema.Number,
  pausedUntil: Schema.Number,
  /** When the first 429 since the last success arrived. */
  limitedSince: Schema.NullOr(Schema.Number),
  eventEndsAt: Schema.Number,
  /** Successes since the last event, as pairs of a time and a count. */
  successes: Schema.Array(Schema.Tuple([Schema.Number, Schema.Number])),
})
export type PaceState = typeof PaceState.Type

const initialState = ({ concurrency, maxRequestsPerSecond }: PaceOptions): PaceState => ({
  window: concurrency ?? START_CONCURRENCY,
  rate: maxRequestsPerSecond ?? Infinity,
  growth: SEARCH_PER_SECOND,
  ratedAt: 0,
  calmSince: 0,
  calmRequests: 0,
  nextAt: 0,
  pausedUntil: 0,
  limitedSince: null,
  eventEndsAt: 0,
  successes: [],
})

type Writable<A> = { -readonly [K in keyof A]: A[K] }

export class Pace {
  private readonly fixedConcurrency: number | undefined
  private readonly maxRate: number
  private readonly own: Writable<PaceState>
  private successes: Array<[at: number, count: number]>

  constructor(options: PaceOptions = {}, state: PaceState = initialState(options)) {
    this.fixedConcurrency = options.concurrency
    this.maxRate = options.maxRequestsPerSecond ?? Infinity
    this.own = { ...state, rate: Math.min(this.maxRate, state.rate) }
    this.successes = state.successes.map(([at, count]) => [at, count])
  }

  get state(): PaceState {
    return { ...this.own, successes: this.successes }
  }

  get concurrency(): number {
    return this.fixedConcurrency ?? Math.max(MIN_CONCURRENCY, Math.floor(this.own.window))
  }

  /** Requests per second; infinite until the first 429. */
  get limitPerSecond(): number {
    return this.own.rate
  }

  /** When the current event of 429s ends. It identifies the event. */
  get eventEndsAt(): number {
    return this.own.eventEndsAt
  }

  /** Milliseconds left of the pause that the service requested. */
  pauseMillis(now: number): number {
    return Math.max(0, this.own.pausedUntil - now)
  }

  /** How long, by the end of the current pause, no request will have succeeded, in milliseconds; 0 without a pause. */
  limitedMillis(now: number): number {
    const { pausedUntil, limitedSince } = this.own
    return pausedUntil > now ? pausedUntil - (limitedSince ?? now) : 0
  }

  /**
   * Reserves the next start and returns 0, or returns how many milliseconds to wait before trying again. `processes` is
   * the number of processes that divide the rate without knowing each other's starts.
   */
  reserve(now: number, processes = 1): number {
    const { pausedUntil, rate, nextAt } = this.own
    if (pausedUntil > now) return pausedUntil - now
    if (rate === Infinity) return 0
    if (nextAt > now) return nextAt - now
    // At most one interval is carried over, so that a late start does not lead to a burst.
    const interval = (1000 / rate) * processes
    this.own.nextAt = Math.max(nextAt, now - interval) + interval
    return 0
  }

  /** Reserves the next `count` starts, now or later, and returns their times. The rate must be finite. */
  reserveAhead(now: number, count: number): ReadonlyArray<number> {
    const { pausedUntil, rate, nextAt } = this.own
    const interval = 1000 / rate
    const first = Math.max(now, pausedUntil, nextAt)
    this.own.nextAt = first + count * interval
    return Array.from({ length: count }, (_, index) => first + index * interval)
  }

  succeeded(now: number): void {
    this.own.limitedSince = null
    this.countSuccess(now)
    this.grow(now)
  }

  /** Reduces the concurrency, because responses take too long. */
  slowed(): void {
    this.shrink(0.8)
  }

  /** Records a 429; `delaySeconds` is how long the service asks to wait, if it says so. */
  rateLimited(now: number, delaySeconds: number | undefined): void {
    const { own } = this
    own.pausedUntil = Math.max(
      own.pausedUntil,
      now + (delaySeconds === undefined ? BARE_PAUSE_MILLIS : delaySeconds * 1000),
    )
    own.limitedSince ??= now
    if (now < own.eventEndsAt) return
    // A nearly steady rate is itself too high; a growing rate may be far above the throughput.
    const isSteady = own.growth <= PROBE_PER_SECOND * 4
    const measured = isSteady ? own.rate : Math.min(own.rate, this.throughput(now))
    own.rate = Math.max(MIN_RATE, measured * BACK_OFF)
    own.growth = Math.max(this.minGrowth, own.growth / 2)
    own.eventEndsAt = Math.max(now + EVENT_MILLIS, own.pausedUntil)
    own.ratedAt = own.eventEndsAt
    own.nextAt = own.pausedUntil
    this.startCalm(own.eventEndsAt)
    this.successes = []
    this.shrink(0.5)
  }

  private countSuccess(now: number): void {
    const last = this.successes.at(-1)
    if (last !== undefined && now < last[0] + INSTANT_MILLIS) {
      last[1] += 1
      return
    }
    this.successes = this.successes.filter(([at]) => at > now - WINDOW_MILLIS)
    this.successes.push([now, 1])
  }

  /** Successes per second within the window. */
  private throughput(now: number): number {
    const recent = this.successes.filter(([at]) => at > now - WINDOW_MILLIS)
    const first = recent[0]
    if (first === undefined) return 1
    return recent.reduce((sum, [, count]) => sum + count, 0) / Math.max(1, (now - first[0]) / 1000)
  }

  private grow(now: number): void {
    const { own } = this
    if (own.rate !== Infinity) {
      // Successes of several processes don't arrive in order.
      const seconds = Math.max(0, now - own.ratedAt) / 1000
      own.rate = Math.min(this.maxRate, own.rate * (1 + own.growth * seconds))
      own.ratedAt = Math.max(own.ratedAt, now)
      if (now > own.calmSince) own.calmRequests += 1
      // After a long time without a 429, the service may have raised its limit.
      if (now - own.calmSince > SEARCH_AGAIN_MILLIS && own.calmRequests > SEARCH_AGAIN_REQUESTS) {
        own.growth = Math.min(SEARCH_PER_SECOND, own.growth * 2)
        this.startCalm(now)
      }
    }
    own.window = Math.min(MAX_CONCURRENCY, own.window + 1 / own.window)
  }

  private startCalm(now: number): void {
    this.own.calmSince = now
    this.own.calmRequests = 0
  }

  private get minGrowth(): number {
    return Math.min(PROBE_PER_SECOND, PROBE_PER_REQUEST * this.own.rate)
  }

  private shrink(factor: number): void {
    this.own.window = Math.max(MIN_CONCURRENCY, this.own.window * factor)
  }
}
