// Decides how many requests may be under way and how far apart they start. Concurrency starts slowly as in TCP: it doubles
// in each round trip until the first 429, or until more requests under way no longer bring more through; then it follows
// additive increase and multiplicative decrease. The rate is learnt from 429s. RequestBudget passes in the time.
import {
  initialState,
  isWorth,
  type Learnt,
  MAX_PAUSE_MILLIS,
  type PaceOptions,
  type PaceState,
  probeOf,
  SEARCH_PER_SECOND,
} from "./PaceState.ts"
import { RecentSuccesses, WINDOW_MILLIS } from "./RecentSuccesses.ts"

const MAX_CONCURRENCY = 32
const MIN_CONCURRENCY = 1
// 429s that arrive together are one event: their requests were already under way when the first one arrived.
const EVENT_MILLIS = 1000
// A 429 that no other follows within this time is no limit of the rate.
const ALONE_MILLIS = 60_000
// 503s that ask to wait may be of a single vault: within this time its neighbours succeed, also those of other processes.
const UNAVAILABLE_MILLIS = 2000
const MIN_RATE = 0.1
// After a 429 the rate starts a little below what the service has let through and grows from there.
const BACK_OFF = 0.95
const SUSTAINED = 0.98
// Services usually let through a second's worth at once before they refuse (a full token bucket, a new window).
const FULL_ALLOWANCE_MILLIS = 1000
// Of what came through in the last seconds, some was such an allowance.
const RECENT = 0.85
const ENOUGH_TO_KNOW = 4
const SEARCH_AGAIN_MILLIS = 30_000
const SEARCH_AGAIN_REQUESTS = 400
const BARE_PAUSE_SECONDS = 1
// A service that lets through nothing at all, perhaps until its minute is over, is asked ever less often, up to this.
const MAX_OWN_PAUSE_SECONDS = 15

type Writable<A> = { -readonly [K in keyof A]: A[K] }

export class Pace {
  private readonly fixedConcurrency: number | undefined
  private readonly maxRate: number
  private readonly own: Writable<PaceState>
  private successes: RecentSuccesses

  constructor(options: PaceOptions = {}, state: PaceState = initialState(options)) {
    this.fixedConcurrency = options.concurrency
    this.maxRate = options.maxRequestsPerSecond ?? Infinity
    this.own = { ...state, rate: Math.min(this.maxRate, state.rate) }
    this.successes = new RecentSuccesses(state.successes)
  }

  get state(): PaceState {
    return { ...this.own, successes: this.successes.counts }
  }

  learnt(now: number): Learnt {
    const { window, rate } = this.own
    // A fixed rate says nothing about the service.
    return { window, rate: rate < this.maxRate ? rate : Infinity, at: now }
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

  /** The status of the response that asked for the pause. */
  get pausedBy(): PaceState["pausedBy"] {
    return this.own.pausedBy
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
    this.begin(now)
    if (rate === Infinity) return 0
    if (nextAt > now) return nextAt - now
    // At most one interval is carried over, so that a late start does not lead to a burst.
    const interval = (1000 / rate) * processes
    this.own.nextAt = Math.max(nextAt, this.idleUntil(now) - interval) + interval
    return 0
  }

  /** Reserves the next `count` starts, now or later, and returns their times. The rate must be finite. */
  reserveAhead(now: number, count: number): ReadonlyArray<number> {
    const { pausedUntil, rate, nextAt } = this.own
    if (count === 0) return []
    const interval = 1000 / rate
    this.begin(now)
    const first = Math.max(this.idleUntil(now), pausedUntil, nextAt)
    this.own.nextAt = first + count * interval
    return Array.from({ length: count }, (_, index) => first + index * interval)
  }

  /** Records a success. `isFull`: whether as many requests were under way as may be. */
  succeeded(now: number, isFull = true): void {
    const { passed } = this.own
    this.own.limitedSince = null
    this.own.passed = { ...passed, count: passed.count + 1 }
    this.successes.add(now)
    this.growRate(now)
    if (isFull) this.growWindow(now)
    else this.own.round = { ...this.own.round, left: 0 }
  }

  /** Reduces the concurrency, because responses take too long. */
  slowed(): void {
    this.shrink(0.8)
  }

  /** Records a 503 that asks to wait. If only such come for a while, the service is unavailable, and all requests wait. */
  unavailable(now: number, delaySeconds: number): void {
    this.own.limitedSince ??= now
    if (now - this.own.limitedSince >= UNAVAILABLE_MILLIS) this.pause(now, delaySeconds, 503)
  }

  /** Records a 429; `delaySeconds` is how long the service asks to wait, if it says so. */
  rateLimited(now: number, delaySeconds: number | undefined): void {
    const { own } = this
    this.pause(now, delaySeconds ?? BARE_PAUSE_SECONDS)
    own.limitedSince ??= now
    if (now < own.eventEndsAt || this.isLone(now)) return
    // A limit of a minute or a day that is used up refuses until it is over: if nothing came through since the last event, or
    // since the run began, the limit is no lower than it was then.
    if (own.passed.count === 0) {
      this.pause(now, Math.min(MAX_OWN_PAUSE_SECONDS, (now - own.limitedSince) / 1000))
      this.beginEvent(now)
      this.shrink(0.5)
      return
    }
    const isSteady = own.growth <= 4 * probeOf(own.rate)
    const isEnough = own.passed.count >= ENOUGH_TO_KNOW
    own.rate = Math.max(MIN_RATE, this.rateAfterEvent(now, isSteady, isEnough))
    own.growth = Math.max(probeOf(own.rate), own.growth / (isEnough ? 16 : 2))
    this.beginEvent(now)
    own.passed = { since: now, count: 0, idle: 0 }
    this.successes = new RecentSuccesses()
    this.shrink(isSteady ? 0.8 : 0.25)
  }

  /** Starts nothing for as long as the service asks. */
  private pause(now: number, seconds: number, pausedBy: PaceState["pausedBy"] = 429): void {
    const until = now + Math.min(MAX_PAUSE_MILLIS, seconds * 1000)
    if (until <= this.own.pausedUntil) return
    this.own.pausedUntil = until
    this.own.pausedBy = pausedBy
  }

  private beginEvent(now: number): void {
    const { own } = this
    own.eventEndsAt = Math.max(now + EVENT_MILLIS, own.pausedUntil)
    own.ratedAt = own.eventEndsAt
    own.nextAt = own.pausedUntil
    this.startCalm(own.eventEndsAt)
  }

  /** Whether this is the first 429 in a while: one alone says that this request was refused, and no more of the rate. */
  private isLone(now: number): boolean {
    const { own } = this
    if (own.rate !== Infinity) return false
    const isLone = own.suspectedAt === null || now - own.suspectedAt > ALONE_MILLIS
    own.suspectedAt = now
    if (isLone) own.isDoubling = false
    return isLone
  }

  private begin(now: number): void {
    const { passed } = this.own
    if (passed.since === null) this.own.passed = { ...passed, since: now }
  }

  /** Counts the time between the next start and now as idle, and returns now. */
  private idleUntil(now: number): number {
    const { passed, nextAt, rate } = this.own
    const idle = now - Math.max(nextAt, passed.since ?? now) - 1000 / rate
    this.own.isUsed = idle <= 0
    if (idle > 0) this.own.passed = { ...passed, idle: passed.idle + idle }
    return now
  }

  /**
   * The rate to go on with after a 429: what the service did let through from one 429 to the next. That is less than it allows
   * if fewer were sent, or if the pause was lost; hence the last seconds count too.
   */
  private rateAfterEvent(now: number, isSteady: boolean, isEnough: boolean): number {
    const { passed, rate } = this.own
    const since = passed.since ?? now
    if (rate === Infinity) {
      const recently = Math.min(WINDOW_MILLIS, now - since)
      return (this.successes.count(now) * SUSTAINED * 1000) / (recently + FULL_ALLOWANCE_MILLIS)
    }
    if (!isEnough) return rate / 2
    const millis = now - since - passed.idle
    const sustained = ((passed.count * 1000) / Math.max(1000, millis)) * SUSTAINED
    return Math.min(
      rate * BACK_OFF,
      Math.max(sustained, this.successes.perSecond(now) * (isSteady ? BACK_OFF : RECENT)),
    )
  }

  private growRate(now: number): void {
    const { own } = this
    if (own.rate === Infinity) return
    if (!own.isUsed) {
      own.ratedAt = Math.max(own.ratedAt, now)
      return
    }
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

  private growWindow(now: number): void {
    const { own } = this
    this.measureRound(now)
    const more = own.isDoubling ? 1 : 1 / own.window
    own.window = Math.min(MAX_CONCURRENCY, own.window + more)
  }

  /** Counts a success of the round trip. Doubling ends with one that brings hardly more through than the smallest window. */
  private measureRound(now: number): void {
    const { own } = this
    const { window, startedAt, left } = own.round
    if (left > 1) {
      own.round = { window, startedAt, left: left - 1 }
      return
    }
    if (left === 1 && now > startedAt) {
      const throughput = (window * 1000) / (now - startedAt)
      const { smallest } = own
      if (smallest === null || window < smallest.window) own.smallest = { window, throughput }
      else if (own.isDoubling && !isWorth({ window, throughput }, smallest)) {
        own.isDoubling = false
        own.window = window / 2
      }
    }
    const next = Math.floor(own.window)
    own.round = { window: next, startedAt: now, left: next }
  }

  private startCalm(now: number): void {
    this.own.calmSince = now
    this.own.calmRequests = 0
  }

  private shrink(factor: number): void {
    this.own.isDoubling = false
    this.own.window = Math.max(MIN_CONCURRENCY, this.own.window * factor)
  }
}
