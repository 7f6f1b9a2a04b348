// Starts at a pace that several processes share (docs/decisions/0021). Each process has a copy of the pace. It applies
// its responses to the copy at once and to the stored pace a few times a second, and reserves starts there in advance.
import { randomUUID } from "node:crypto"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { Pace } from "./Pace.ts"
import { type PaceOptions, PaceState, rememberedState } from "./PaceState.ts"
import type { Starts } from "./Starts.ts"

/** Stores the pace of one origin for all processes that send requests to it. */
export interface PaceStore {
  readonly read: Effect.Effect<StoredPace, PaceStoreError>
  /** Stores a state if `version` is still the stored version; with `announce`, all processes read it at once. */
  readonly replace: (
    version: number,
    state: string,
    announce: boolean,
  ) => Effect.Effect<boolean, PaceStoreError>
  /** Runs `listener` whenever this process or another has announced a state, until the scope closes. */
  readonly onAnnounced: (listener: () => void) => Effect.Effect<void, never, Scope.Scope>
  /** Called once, when other processes are found that send requests too. */
  readonly onShared?: ((others: number) => void) | undefined
}

export interface StoredPace {
  /** 0 if nothing is stored. */
  readonly version: number
  readonly state: string | undefined
  /** The time of the store's clock in milliseconds. */
  readonly now: number
}

export interface PaceStoreError {
  readonly message: string
}

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
// A process counts as sending requests for this long after its last exchange.
const PRESENT_MILLIS = 2000
// A pace that no process has used for this long is what an earlier run has learnt.
const EARLIER_MILLIS = 60_000

const Shared = Schema.Struct({
  pace: PaceState,
  /** The time of each process's last exchange. */
  processes: Schema.Record(Schema.String, Schema.Number),
})
const SharedJson = Schema.fromJsonString(Schema.toCodecJson(Shared))
const decode = Schema.decodeUnknownResult(SharedJson)
const encode = Schema.encodeSync(SharedJson)

/**
 * The stored pace and the processes that use it. If it can't be decoded (perhaps from another version), it is learnt
 * again.
 */
const readShared = (options: PaceOptions, { state, now }: StoredPace) => {
  const found = state === undefined ? undefined : Result.getOrUndefined(decode(state))
  const processes = Object.entries(found?.processes ?? {})
  const usedAt = Math.max(found?.pace.pausedUntil ?? 0, ...processes.map(([, at]) => at))
  const isEarlier = now - usedAt > EARLIER_MILLIS
  const earlier = found === undefined ? undefined : new Pace(options, found.pace).learnt(usedAt)
  return {
    pace: new Pace(
      options,
      isEarlier && earlier !== undefined ? rememberedState(options, earlier, now) : found?.pace,
    ),
    present: Object.fromEntries(processes.filter(([, at]) => now - at < PRESENT_MILLIS)),
  }
}

interface Change {
  readonly apply: (pace: Pace) => void
  /** The first 429 of an event. */
  readonly isEvent: boolean
}

export const sharedStarts = Effect.fnUntraced(function* (options: PaceOptions, store: PaceStore) {
  const process = randomUUID()
  // One clock for all fibers, because the clock of a run's fibers may be another machine's.
  const clock = yield* Clock.Clock
  let pace = new Pace(options)
  let processes = 1
  /** Changes of `pace` that have not been stored yet. */
  let unshared: Array<Change> = []
  /** Reserved starts, in the store's time like all times of the pace. */
  let starts: Array<number> = []
  let reservedAt = 0
  let earliestStart = 0
  /** How far the store's clock is ahead of this process's. */
  let skew: number | undefined
  /** The number of requests that wait or are under way. */
  let demand = 0
  let exchangedAt = -Infinity
  let isUnreachable = false
  let isShared = false
  const exchangeRequested = Latch.makeUnsafe()
  let exchanged = Deferred.makeUnsafe<void>()

  const now = Effect.sync(() => clock.currentTimeMillisUnsafe() + (skew ?? 0))

  const read = Effect.gen(function* () {
    const sentAt = clock.currentTimeMillisUnsafe()
    const stored = yield* store.read
    const receivedAt = clock.currentTimeMillisUnsafe()
    // The store's clock was read between the two times. The known skew is kept if it is possible, to avoid jitter.
    const [min, max] = [stored.now - receivedAt, stored.now - sentAt]
    skew = Math.min(max, Math.max(min, skew ?? (min + max) / 2))
    return stored
  })

  /** How many starts to reserve, so that the starts of all processes last for `AHEAD_MILLIS`. */
  const startsToReserve = (limitPerSecond: number): number => {
    if (demand === 0 || limitPerSecond === Infinity) return 0
    const share = (limitPerSecond * AHEAD_MILLIS) / 1000 / processes
    const target = Math.min(demand, Math.ceil(share))
    return starts.length > target / 2 ? 0 : target - starts.length
  }

  const tryExchange = Effect.gen(function* () {
    const stored = yield* read
    const { pace: next, present } = readShared(options, stored)
    const changes = unshared.length
    for (const { apply } of unshared) apply(next)
    const all = { ...present, [process]: stored.now }
    processes = Object.keys(all).length
    // A 429 invalidates the starts reserved before it.
    if (next.eventEndsAt !== pace.eventEndsAt) starts = []
    const reserved = next.reserveAhead(stored.now, startsToReserve(next.limitPerSecond))
    const isStored = yield* store.replace(
      stored.version,
      encode({ pace: next.state, processes: all }),
      unshared.some(({ isEvent }) => isEvent),
    )
    if (!isStored) return false
    unshared = unshared.slice(changes)
    pace = next
    for (const { apply } of unshared) apply(pace)
    if (processes > 1 && !isShared) {
      isShared = true
      store.onShared?.(processes - 1)
    }
    if (unshared.some(({ isEvent }) => isEvent)) return true
    starts.push(...reserved)
    reservedAt = yield* now
    return true
  })

  /** Exchanges within a time limit, even if the store does not react to an interruption. */
  const exchangeWithin = Effect.fnUntraced(function* (timeoutMillis: number) {
    const fiber = yield* Effect.forkChild(
      Effect.repeat(tryExchange, { until: (isStored) => isStored }),
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

  const exchange = (timeoutMillis: number) =>
    exchangeWithin(timeoutMillis).pipe(
      Effect.matchEffect({
        onSuccess: () => Effect.sync(() => (isUnreachable = false)),
        onFailure: ({ message }) =>
          Effect.suspend(() => {
            unshared = unshared.slice(-MAX_UNSHARED)
            if (isUnreachable) return Effect.void
            isUnreachable = true
            return Effect.logWarning(
              `The shared request budget can't be reached (${message}). Until it can, this process keeps to its share of the last known rate.`,
            )
          }),
      }),
      Effect.ensuring(
        Effect.gen(function* () {
          exchangedAt = clock.currentTimeMillisUnsafe()
          const done = exchanged
          exchanged = Deferred.makeUnsafe<void>()
          yield* Deferred.succeed(done, undefined)
        }),
      ),
    )

  const awaitExchange = Effect.suspend(() => {
    exchangeRequested.openUnsafe()
    return Deferred.await(exchanged)
  })

  const keepExchanging = Effect.gen(function* () {
    const isIdle = demand === 0 && unshared.length === 0
    const sooner = Latch.await(exchangeRequested)
    yield* isIdle ? sooner : Effect.race(sooner, Effect.sleep(EXCHANGE_MILLIS))
    exchangeRequested.closeUnsafe()
    if (demand === 0 && unshared.length === 0) exchangedAt = -Infinity
    else yield* exchange(TIMEOUT_MILLIS)
    if (isUnreachable) yield* Effect.sleep(EXCHANGE_MILLIS)
  })

  const reserve = Effect.gen(function* () {
    const age = clock.currentTimeMillisUnsafe() - exchangedAt
    if (age > STALE_MILLIS && !isUnreachable) {
      yield* awaitExchange
      return 1
    }
    const at = yield* now
    if (isUnreachable || pace.limitPerSecond === Infinity) return pace.reserve(at, processes)
    const pause = pace.pauseMillis(at)
    if (pause > 0) return pause
    const interval = 1000 / pace.limitPerSecond
    const latest = Math.max(interval * processes, LATE_MILLIS)
    if (at - reservedAt > latest) starts = starts.filter((start) => start > at - latest)
    const first = starts[0]
    if (first === undefined) {
      yield* awaitExchange
      return 1
    }
    const wait = Math.max(first, earliestStart) - at
    if (wait > 0) return wait
    // Late starts must not become a burst, as in `Pace.reserve`.
    earliestStart = Math.max(earliestStart, at - interval) + interval
    starts.shift()
    if (startsToReserve(pace.limitPerSecond) > 0) exchangeRequested.openUnsafe()
    return 0
  })

  yield* exchange(START_TIMEOUT_MILLIS)
  yield* store.onAnnounced(() => exchangeRequested.openUnsafe())
  yield* Effect.forkScoped(Effect.forever(keepExchanging))

  return {
    concurrency: () => Math.max(1, Math.floor(pace.concurrency / processes)),
    pace: () => pace,
    now,
    reserve,
    observe: (apply) => {
      const { eventEndsAt } = pace
      apply(pace)
      const isEvent = pace.eventEndsAt !== eventEndsAt
      unshared.push({ apply, isEvent })
      if (!isEvent) return
      starts = []
      exchangeRequested.openUnsafe()
    },
    during: (request) =>
      Effect.suspend(() => {
        demand += 1
        if (demand === 1) exchangeRequested.openUnsafe()
        return Effect.ensuring(
          request,
          Effect.sync(() => (demand -= 1)),
        )
      }),
  } satisfies Starts
})
