// What a pace has learnt: a value that processes share as JSON, and that a run leaves to later ones.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { MILLIS_PER_DAY } from "../../domain/values/time.ts"

export interface PaceOptions {
  /** A fixed number of requests under way; if absent, it is adapted. */
  readonly concurrency?: number | undefined
  readonly maxRequestsPerSecond?: number | undefined
}

const START_CONCURRENCY = 8
// How fast the rate grows in each second. Each 429 divides it, by more where enough has come through to know the rate, down
// to what costs about one 429 in 400 requests.
export const SEARCH_PER_SECOND = 0.5
const PROBE_PER_SECOND = 0.001
const PROBE_PER_REQUEST = 0.0001
// A delay may be wrong (milliseconds for seconds), and later runs wait for what is stored of it: somebody asks again after this.
// It is longer than a run waits.
export const MAX_PAUSE_MILLIS = 900_000
// What was learnt counts half as much after each week.
const HALF_LIFE_MILLIS = 7 * MILLIS_PER_DAY

// More under way is worth it as long as throughput grows by at least this share of it.
const WORTH_IT = 0.25

const Measured = Schema.Struct({ window: Schema.Number, throughput: Schema.Number })
type Measured = typeof Measured.Type

/** Whether a larger window brings enough more through than a smaller one. */
export const isWorth = (larger: Measured, smaller: Measured): boolean => {
  const more = larger.window / smaller.window - 1
  return larger.throughput >= smaller.throughput * (1 + more * WORTH_IT)
}

/** What a pace has learnt; times are milliseconds of one clock. Processes that share a pace exchange it as JSON. */
export const PaceState = Schema.Struct({
  /** How many requests may be under way, before rounding down. */
  window: Schema.Number,
  /** Whether the window still doubles in each round trip. */
  isDoubling: Schema.Boolean,
  /** The round trip that is measured: as many successes as the window held when it began. */
  round: Schema.Struct({ window: Schema.Number, startedAt: Schema.Number, left: Schema.Number }),
  /** The smallest window measured so far, and its successes per second. */
  smallest: Schema.NullOr(Measured),
  /** Requests per second. */
  rate: Schema.Number,
  /** Whether requests wait for their start: a rate that nobody uses proves nothing. */
  isUsed: Schema.Boolean,
  /** The share by which the rate grows in each second without a 429. */
  growth: Schema.Number,
  ratedAt: Schema.Number,
  calmSince: Schema.Number,
  calmRequests: Schema.Number,
  nextAt: Schema.Number,
  pausedUntil: Schema.Number,
  /** The status of the response that asked for the pause. */
  pausedBy: Schema.Literals([429, 503]).pipe(Schema.withDecodingDefaultKey(Effect.succeed(429))),
  /** When the first 429 since the last success arrived, or the first 503 that asks to wait. */
  limitedSince: Schema.NullOr(Schema.Number),
  eventEndsAt: Schema.Number,
  /** When the last 429 arrived that no other has followed yet. */
  suspectedAt: Schema.NullOr(Schema.Number),
  /** Since the last event, or the first request: when that was, the successes, and the time in which nobody wanted to send. */
  passed: Schema.Struct({
    since: Schema.NullOr(Schema.Number),
    count: Schema.Number,
    idle: Schema.Number,
  }),
  /** Recent successes since the last event, as pairs of a time and a count. */
  successes: Schema.Array(Schema.Tuple([Schema.Number, Schema.Number])),
})
export type PaceState = typeof PaceState.Type

export const initialState = ({ concurrency, maxRequestsPerSecond }: PaceOptions): PaceState => {
  const window = concurrency ?? START_CONCURRENCY
  return {
    window,
    isDoubling: true,
    round: { window, startedAt: 0, left: 0 },
    smallest: null,
    rate: maxRequestsPerSecond ?? Infinity,
    isUsed: true,
    growth: SEARCH_PER_SECOND,
    ratedAt: 0,
    calmSince: 0,
    calmRequests: 0,
    nextAt: 0,
    pausedUntil: 0,
    pausedBy: 429,
    limitedSince: null,
    eventEndsAt: 0,
    suspectedAt: null,
    passed: { since: null, count: 0, idle: 0 },
    successes: [],
  }
}

/** What later runs start from. */
export interface Learnt {
  readonly window: number
  /** Requests per second; infinite if no 429 was met. */
  readonly rate: number
  /** Milliseconds of the clock of the pace. */
  readonly at: number
}

/** The state to start from at `now`, in milliseconds. The older it is, the less it counts. */
export const rememberedState = (
  options: PaceOptions,
  { window, rate, at }: Learnt,
  now: number,
): PaceState => {
  const trust = 0.5 ** (Math.max(0, now - at) / HALF_LIFE_MILLIS)
  const isLimited = rate !== Infinity
  return {
    ...initialState(options),
    window: START_CONCURRENCY * (window / START_CONCURRENCY) ** trust,
    rate,
    growth: isLimited
      ? SEARCH_PER_SECOND ** (1 - trust) * probeOf(rate) ** trust
      : SEARCH_PER_SECOND,
    isDoubling: !isLimited,
    ratedAt: now,
    calmSince: now,
  }
}

/** How fast a known rate grows, as a share of it in each second. */
export const probeOf = (rate: number): number =>
  Math.min(PROBE_PER_SECOND, PROBE_PER_REQUEST * rate)
