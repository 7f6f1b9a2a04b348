// Starts at a pace that several processes share (docs/decisions/0021). Each process has a copy of the pace. It applies
// its responses to the copy at once and to the stored pace a few times a second, and reserves starts there in advance.
import { randomUUID } from "node:crypto"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import { Pace } from "./Pace.ts"
import { type PaceOptions, rememberedState } from "./PaceState.ts"
import type { PaceStore, PaceStoreError, StoredPace } from "./PaceStore.ts"
import { AHEAD_OF_CLOCK_MILLIS, encodeShared, readShared } from "./sharedPace.ts"
import type { Starts } from "./Starts.ts"

const EXCHANGE_MILLIS = 250
// Starts are reserved this long in advance, so that half of them are left at the next exchange.
const AHEAD_MILLIS = 500
const TIMEOUT_MILLIS = 3000
// The first exchange also connects, perhaps while other processes on the machine are starting.
const START_TIMEOUT_MILLIS = 10_000
// A copy of the pace older than this is read again before the next start.
const STALE_MILLIS = 1000
// A reserved start expires after this time or the time between starts of this process, whichever is longer, so that a
// process that was delayed does not send a burst.
const LATE_MILLIS = 20
// The maximum number of changes kept while the store can't be reached.
const MAX_UNSHARED = 1000

interface Change {
  readonly apply: (pace: Pace) => void
  /** The first 429 of an event. */
  readonly isEvent: boolean
}

/** `steadyNow`: the same for all fibers, because the clock of a run's fibers may be another machine's. */
export const sharedStarts = Effect.fnUntraced(function* (
  options: PaceOptions,
  store: PaceStore,
  steadyNow: () => number,
) {
  const starts = new SharedStarts(options, store, steadyNow)
  yield* starts.exchange(START_TIMEOUT_MILLIS)
  yield* store.onAnnounced(starts.requestExchange)
  yield* Effect.forkScoped(Effect.forever(starts.keepExchanging))
  return starts
})

class SharedStarts implements Starts {
  readonly #options: PaceOptions
  readonly #store: PaceStore
  readonly #steadyNow: () => number
  readonly #process = randomUUID()
  #pace: Pace
  #processes = 1
  /** Changes of the pace that have not been stored yet. */
  #unshared: Array<Change> = []
  /** Reserved starts, in the store's time like all times of the pace. */
  #reserved: Array<number> = []
  #reservedAt = 0
  #earliestStart = 0
  /** How far the store's clock is ahead of this process's. */
  #skew: number | undefined
  /** The number of requests that wait or are under way. */
  #demand = 0
  #exchangedAt = -Infinity
  #isUnreachable = false
  #isShared = false
  readonly #exchangeRequested = Latch.makeUnsafe()
  #exchanged = Deferred.makeUnsafe<void>()

  constructor(options: PaceOptions, store: PaceStore, steadyNow: () => number) {
    this.#options = options
    this.#store = store
    this.#steadyNow = steadyNow
    this.#pace = new Pace(options)
  }

  readonly pace = (): Pace => this.#pace

  readonly concurrency = (): number =>
    Math.max(1, Math.floor(this.#pace.concurrency / this.#processes))

  readonly now = Effect.sync(() => this.#steadyNow() + (this.#skew ?? 0))

  readonly reserve = Effect.suspend(() => {
    const age = this.#steadyNow() - this.#exchangedAt
    if (age > STALE_MILLIS && !this.#isUnreachable) return this.#awaitExchange
    return Effect.flatMap(this.now, (at) => {
      const wait = this.#waitAt(at)
      return wait === undefined ? this.#awaitExchange : Effect.succeed(wait)
    })
  })

  readonly observe = (apply: Change["apply"]): void => {
    const { eventEndsAt } = this.#pace
    apply(this.#pace)
    const isEvent = this.#pace.eventEndsAt !== eventEndsAt
    this.#unshared.push({ apply, isEvent })
    if (!isEvent) return
    this.#reserved = []
    this.requestExchange()
  }

  readonly during: Starts["during"] = (request) =>
    Effect.suspend(() => {
      this.#demand += 1
      if (this.#demand === 1) this.requestExchange()
      return Effect.ensuring(
        request,
        Effect.sync(() => (this.#demand -= 1)),
      )
    })

  readonly requestExchange = (): void => {
    this.#exchangeRequested.openUnsafe()
  }

  /** Exchanges when a start or a change needs it, and a few times a second while there are requests. */
  readonly keepExchanging = Effect.gen({ self: this }, function* () {
    const sooner = Latch.await(this.#exchangeRequested)
    yield* this.#isIdle ? sooner : Effect.race(sooner, Effect.sleep(EXCHANGE_MILLIS))
    this.#exchangeRequested.closeUnsafe()
    if (this.#isIdle) this.#exchangedAt = -Infinity
    else yield* this.exchange(TIMEOUT_MILLIS)
    if (this.#isUnreachable) yield* Effect.sleep(EXCHANGE_MILLIS)
  })

  readonly exchange = (timeoutMillis: number): Effect.Effect<void> =>
    this.#exchangeWithin(timeoutMillis).pipe(
      Effect.matchEffect({
        onSuccess: () => Effect.sync(() => (this.#isUnreachable = false)),
        onFailure: (error) => this.#lose(error),
      }),
      Effect.ensuring(
        Effect.suspend(() => {
          this.#exchangedAt = this.#steadyNow()
          const done = this.#exchanged
          this.#exchanged = Deferred.makeUnsafe<void>()
          return Deferred.succeed(done, undefined)
        }),
      ),
      Effect.asVoid,
    )

  get #isIdle(): boolean {
    return this.#demand === 0 && this.#unshared.length === 0
  }

  /** Whether a change that has not been stored yet is the first 429 of an event. */
  get #hasEvent(): boolean {
    return this.#unshared.some(({ isEvent }) => isEvent)
  }

  readonly #awaitExchange = Effect.suspend(() => {
    this.requestExchange()
    return Effect.as(Deferred.await(this.#exchanged), 1)
  })

  /** Takes a reserved start and returns 0, or returns how long to wait; `undefined` where none is reserved. */
  #waitAt(at: number): number | undefined {
    const pace = this.#pace
    if (this.#isUnreachable || pace.limitPerSecond === Infinity) {
      return pace.reserve(at, this.#processes)
    }
    const pause = pace.pauseMillis(at)
    if (pause > 0) return pause
    const interval = 1000 / pace.limitPerSecond
    const latest = Math.max(interval * this.#processes, LATE_MILLIS)
    if (at - this.#reservedAt > latest) {
      this.#reserved = this.#reserved.filter((start) => start > at - latest)
    }
    const [first] = this.#reserved
    if (first === undefined) return undefined
    const wait = Math.max(first, this.#earliestStart) - at
    if (wait > 0) return wait
    // Late starts must not become a burst, as in `Pace.reserve`.
    this.#earliestStart = Math.max(this.#earliestStart, at - interval) + interval
    this.#reserved.shift()
    if (this.#startsToReserve(pace.limitPerSecond) > 0) this.requestExchange()
    return 0
  }

  /** How many starts to reserve, so that the starts of all processes last for `AHEAD_MILLIS`. */
  #startsToReserve(limitPerSecond: number): number {
    if (limitPerSecond === Infinity) return 0
    const share = (limitPerSecond * AHEAD_MILLIS) / 1000 / this.#processes
    const target = Math.min(this.#demand, Math.ceil(share))
    return this.#reserved.length > target / 2 ? 0 : target - this.#reserved.length
  }

  #readStore(): Effect.Effect<StoredPace, PaceStoreError> {
    return Effect.gen({ self: this }, function* () {
      const sentAt = this.#steadyNow()
      const stored = yield* this.#store.read
      const receivedAt = this.#steadyNow()
      // The store's clock was read between the two times. The known skew is kept if it is possible, to avoid jitter.
      const [min, max] = [stored.now - receivedAt, stored.now - sentAt]
      const skew = Math.min(max, Math.max(min, this.#skew ?? (min + max) / 2))
      if (skew + AHEAD_OF_CLOCK_MILLIS < (this.#skew ?? skew)) this.#forgetTimes(stored.now)
      this.#skew = skew
      return stored
    })
  }

  /** Keeps what the pace has learnt. After the store's clock was set back, all its times lie in the future. */
  #forgetTimes(now: number): void {
    this.#pace = new Pace(
      this.#options,
      rememberedState(this.#options, this.#pace.learnt(now), now),
    )
    this.#unshared = []
    this.#reserved = []
    this.#reservedAt = 0
    this.#earliestStart = 0
  }

  /** Applies this process's changes to the stored pace and reserves starts; `false` if another process was faster. */
  readonly #tryExchange = Effect.gen({ self: this }, function* () {
    const stored = yield* this.#readStore()
    const { pace: next, present } = readShared(this.#options, stored)
    const changes = this.#unshared.length
    for (const { apply } of this.#unshared) apply(next)
    const all = { ...present, [this.#process]: stored.now }
    this.#processes = Object.keys(all).length
    // A 429 invalidates the starts reserved before it.
    if (next.eventEndsAt !== this.#pace.eventEndsAt) this.#reserved = []
    const reserved = next.reserveAhead(stored.now, this.#startsToReserve(next.limitPerSecond))
    const isStored = yield* this.#store.replace(
      stored.version,
      encodeShared({ pace: next.state, processes: all }),
      this.#hasEvent,
    )
    if (!isStored) return false
    this.#unshared = this.#unshared.slice(changes)
    this.#pace = next
    for (const { apply } of this.#unshared) apply(next)
    this.#reportOthers()
    if (this.#hasEvent) return true
    this.#reserved.push(...reserved)
    this.#reservedAt = yield* this.now
    return true
  })

  #reportOthers(): void {
    if (this.#processes < 2 || this.#isShared) return
    this.#isShared = true
    this.#store.onShared?.(this.#processes - 1)
  }

  /** Exchanges within a time limit, even if the store does not react to an interruption. */
  readonly #exchangeWithin = Effect.fnUntraced({ self: this }, function* (timeoutMillis: number) {
    const fiber = yield* Effect.forkChild(
      Effect.repeat(this.#tryExchange, { until: (isStored) => isStored }),
    )
    return yield* Fiber.join(fiber).pipe(
      Effect.timeoutOrElse({
        duration: timeoutMillis,
        orElse: () => {
          fiber.interruptUnsafe()
          return Effect.fail<PaceStoreError>({ message: "it does not respond" })
        },
      }),
    )
  })

  #lose({ message }: PaceStoreError): Effect.Effect<void> {
    this.#unshared = this.#unshared.slice(-MAX_UNSHARED)
    if (this.#isUnreachable) return Effect.void
    this.#isUnreachable = true
    return Effect.logWarning(
      `The shared request budget can't be reached (${message}). Until it can, this process keeps to its share of the last known rate.`,
    )
  }
}
