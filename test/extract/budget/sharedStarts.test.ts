// Several processes with one request budget against limits they do not know, in simulated time. The store is a variable
// behind a delay; test/lake tries the same with real processes on PostgreSQL.
import { describe, expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import { initialState, type PaceOptions } from "../../../src/extract/budget/PaceState.ts"
import { type Observation, RequestBudget } from "../../../src/extract/budget/RequestBudget.ts"
import type { PaceStore, PaceStoreError } from "../../../src/extract/budget/PaceStore.ts"

const STORE_MILLIS = 2
const LATENCY_MILLIS = 40
// The store's clock is not the processes'.
const SKEW_MILLIS = 3_600_000

const spending = {
  endpoint: "fees",
  maxWaitMillis: 30_000,
  isSlow: false,
  expectsServerErrors: false,
  requestsLeft: 1,
}

/**
 * A store of one pace for several processes; `isAway` makes it fail, `hangs` keeps it from responding, and its clock is
 * `setBackMillis` behind what it was.
 */
const memoryStore = (before?: string) => {
  let stored = { version: before === undefined ? 0 : 1, state: before }
  const listeners: Array<() => void> = []
  const counts = { reads: 0, isAway: false, hangs: false, setBackMillis: 0 }
  const delayed = <A>(work: (now: number) => A): Effect.Effect<A, PaceStoreError> =>
    Effect.gen(function* () {
      yield* Effect.sleep(STORE_MILLIS / 2)
      if (counts.hangs) return yield* Effect.never
      if (counts.isAway) return yield* Effect.fail({ message: "it is away" })
      const found = work((yield* Clock.currentTimeMillis) + SKEW_MILLIS - counts.setBackMillis)
      yield* Effect.sleep(STORE_MILLIS / 2)
      return found
    })
  const store: PaceStore = {
    read: delayed((now) => {
      counts.reads += 1
      return { ...stored, now }
    }),
    replace: (version, state, announce) =>
      delayed(() => {
        if (version !== stored.version) return false
        stored = { version: version + 1, state }
        if (announce) for (const listener of listeners) listener()
        return true
      }),
    onAnnounced: (listener) => Effect.sync(() => void listeners.push(listener)),
  }
  return { store, counts, stored: () => stored }
}

interface Sent {
  readonly at: number
  readonly process: number
  readonly passed: boolean
}

/** A service with a token bucket, or without a limit. */
const service = (perSecond: number) => {
  const sent: Array<Sent> = []
  let tokens = perSecond
  let filledAt = 0
  let underWay = 0
  const most = { underWay: 0 }
  const request = (process: number) =>
    Effect.gen(function* () {
      const at = yield* Clock.currentTimeMillis
      tokens = Math.min(perSecond, tokens + ((at - filledAt) * perSecond) / 1000)
      filledAt = at
      const passed = perSecond === Infinity || tokens >= 1
      if (passed) tokens -= 1
      sent.push({ at, process, passed })
      underWay += 1
      most.underWay = Math.max(most.underWay, underWay)
      yield* Effect.sleep(LATENCY_MILLIS)
      underWay -= 1
      return { status: passed ? 200 : 429, delaySeconds: undefined }
    })
  return { sent, most, request }
}

/** Processes that always want more than they get. */
const start = Effect.fnUntraced(function* (
  processes: number,
  { request }: { readonly request: (process: number) => Effect.Effect<Observation> },
  store: PaceStore | undefined,
  options: PaceOptions = {},
) {
  for (let process = 0; process < processes; process += 1) {
    const build = Layer.build(RequestBudget.layer(options, store))
    const building = yield* Effect.forkChild(build)
    yield* TestClock.adjust(100)
    const { spend } = Context.get(yield* Fiber.join(building), RequestBudget)
    for (let task = 0; task < 20; task += 1) {
      // What is not sent fails at once.
      const next = spend(request(process), spending).pipe(Effect.catch(() => Effect.sleep(1000)))
      yield* Effect.forkScoped(Effect.forever(next))
    }
  }
})

const refused = (sent: ReadonlyArray<Sent>) => sent.filter(({ passed }) => !passed).length

/** Those of the seconds from `from` on, before `to`. */
const within = (sent: ReadonlyArray<Sent>, from: number, to: number) =>
  sent.filter(({ at }) => at >= from * 1000 && at < to * 1000)

describe("a request budget of several processes", () => {
  it.effect("does not wait for a day that is stored as its pause", () =>
    Effect.gen(function* () {
      const pausedUntil = SKEW_MILLIS + 86_400_000
      const pace = { ...initialState({}), rate: 10, limitedSince: SKEW_MILLIS, pausedUntil }
      const { store } = memoryStore(JSON.stringify({ pace, processes: {} }))
      const shared = service(Infinity)
      yield* start(1, shared, store)
      yield* TestClock.adjust(1000)
      expect(shared.sent.length).toBeGreaterThan(0)
    }),
  )

  it.effect("goes on, also in later runs, though the clock of the store is set back", () =>
    Effect.gen(function* () {
      const { store, counts, stored } = memoryStore()
      const limited = service(20)
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* start(2, limited, store)
          yield* TestClock.adjust("60 seconds")
          counts.setBackMillis = 1_800_000
          yield* TestClock.adjust("30 seconds")
        }),
      )
      const after = within(limited.sent, 62, 90)
      expect(after.length).toBeGreaterThan(0.9 * 28 * 20)
      expect(refused(after)).toBeLessThan(0.02 * after.length)
      counts.setBackMillis = 3_000_000
      const later = service(20)
      yield* start(1, later, store)
      yield* TestClock.adjust("30 seconds")
      expect(later.sent.length).toBeGreaterThan(0.9 * 30 * 20)
      // What was learnt is kept, and who sent before is not counted.
      expect(refused(later.sent)).toBeLessThan(0.02 * later.sent.length)
      expect(Object.keys(JSON.parse(stored().state ?? "").processes)).toHaveLength(1)
    }).pipe(Effect.scoped),
  )

  it.effect("goes on at a fixed rate though the clock of the store is set back", () =>
    Effect.gen(function* () {
      const { store, counts } = memoryStore()
      const unlimited = service(Infinity)
      yield* start(2, unlimited, store, { maxRequestsPerSecond: 20 })
      yield* TestClock.adjust("20 seconds")
      counts.setBackMillis = 1_800_000
      yield* TestClock.adjust("30 seconds")
      expect(within(unlimited.sent, 22, 50).length).toBeGreaterThan(0.9 * 28 * 20)
    }).pipe(Effect.scoped),
  )

  it.effect.each([
    { processes: 4, perSecond: 20, seconds: 120 },
    { processes: 2, perSecond: 100, seconds: 60 },
  ])(
    "$processes find $perSecond/s as one does, and share it",
    ({ processes, perSecond, seconds }) =>
      Effect.gen(function* () {
        const { store, counts } = memoryStore()
        const shared = service(perSecond)
        yield* start(processes, shared, store)
        yield* TestClock.adjust(seconds * 1000)
        const steady = within(shared.sent, seconds / 2, seconds)
        // Until the first 429 is known, each may send as many as one would.
        const first = shared.sent.find(({ passed }) => !passed)?.at ?? 0
        const after = shared.sent.filter(({ at }) => at > first + LATENCY_MILLIS + 20)
        expect(refused(after) / shared.sent.length).toBeLessThan(0.005)
        expect(refused(steady) / steady.length).toBeLessThan(0.005)
        const rate = (steady.length - refused(steady)) / (seconds / 2)
        expect(rate / perSecond).toBeGreaterThan(0.95)
        for (let process = 0; process < processes; process += 1) {
          const share = shared.sent.filter((each) => each.process === process).length
          expect((share * processes) / shared.sent.length).toBeGreaterThan(0.9)
        }
        // Starts are reserved some at a time.
        expect(counts.reads / processes / seconds).toBeLessThan(10)
      }).pipe(Effect.scoped),
  )

  it.effect("pauses in all processes soon after one was refused", () =>
    Effect.gen(function* () {
      const { store } = memoryStore()
      const limited = service(50)
      yield* start(4, limited, store)
      yield* TestClock.adjust("3 seconds")
      const first = limited.sent.find(({ passed }) => !passed)?.at ?? NaN
      const reported = first + LATENCY_MILLIS
      const senders = limited.sent.filter(({ at }) => at <= reported).map(({ process }) => process)
      expect(new Set(senders).size).toBeGreaterThan(1)
      const paused = limited.sent.filter(({ at }) => at > reported + 20 && at < reported + 1000)
      expect(paused).toEqual([])
    }).pipe(Effect.scoped),
  )

  it.effect("goes on in all processes but the one whose requests are all answered by 503", () =>
    Effect.gen(function* () {
      const { store } = memoryStore()
      const unavailable = Effect.as(Effect.sleep(LATENCY_MILLIS), { status: 503, delaySeconds: 20 })
      const healthy = service(Infinity)
      yield* start(1, { request: () => unavailable }, store, { maxRequestsPerSecond: 40 })
      yield* start(1, healthy, store, { maxRequestsPerSecond: 40 })
      yield* TestClock.adjust("60 seconds")
      const counts = Array.from({ length: 20 }, (_, at) => at * 3).map(
        (second) => within(healthy.sent, second, second + 3).length,
      )
      expect(Math.min(...counts.slice(1))).toBeGreaterThan(30)
    }).pipe(Effect.scoped),
  )

  it.effect("sends without reading the store for each request while no limit is known", () =>
    Effect.gen(function* () {
      const { store, counts } = memoryStore()
      const unlimited = service(Infinity)
      yield* start(2, unlimited, store)
      // Until they have exchanged what they know, each takes itself for the only one.
      yield* TestClock.adjust("1 second")
      unlimited.most.underWay = 0
      yield* TestClock.adjust("9 seconds")
      expect(unlimited.sent.length).toBeGreaterThan(5000)
      expect(counts.reads).toBeLessThan(100)
      // Together they have as many under way as one process would.
      expect(unlimited.most.underWay).toBeLessThanOrEqual(32)
      expect(unlimited.most.underWay).toBeGreaterThan(24)
    }).pipe(Effect.scoped),
  )

  it.effect("leaves the store alone while there is nothing to send", () =>
    Effect.gen(function* () {
      const { store, counts } = memoryStore()
      yield* Effect.forkScoped(Layer.build(RequestBudget.layer({}, store)))
      yield* TestClock.adjust("1 minute")
      expect(counts.reads).toBe(1)
    }).pipe(Effect.scoped),
  )

  it.effect("divides fixed limits among the processes", () =>
    Effect.gen(function* () {
      const { store } = memoryStore()
      const unlimited = service(Infinity)
      const others: Array<number> = []
      const onShared = (found: number): void => void others.push(found)
      yield* start(
        4,
        unlimited,
        { ...store, onShared },
        { concurrency: 8, maxRequestsPerSecond: 40 },
      )
      yield* TestClock.adjust("20 seconds")
      // Each learns once that there are others.
      expect(others.length).toBe(4)
      expect(Math.min(...others)).toBeGreaterThan(0)
      const { length } = within(unlimited.sent, 5, 20)
      expect(length).toBeGreaterThan(0.97 * 15 * 40)
      expect(length).toBeLessThanOrEqual(15 * 40 + 4)
      expect(unlimited.most.underWay).toBeLessThanOrEqual(8)
    }).pipe(Effect.scoped),
  )

  it.effect("goes on while the store is away, each process at its share", () =>
    Effect.gen(function* () {
      const { store, counts } = memoryStore()
      const limited = service(20)
      yield* start(2, limited, store)
      yield* TestClock.adjust("60 seconds")
      counts.isAway = true
      yield* TestClock.adjust("30 seconds")
      counts.isAway = false
      yield* TestClock.adjust("30 seconds")
      const away = within(limited.sent, 61, 90)
      expect(away.length).toBeGreaterThan(0.9 * 29 * 20)
      expect(refused(away)).toBeLessThan(0.02 * away.length)
      const back = within(limited.sent, 92, 120)
      expect(back.length).toBeGreaterThan(0.9 * 28 * 20)
      expect(refused(back)).toBeLessThan(0.02 * back.length)
      const ofFirst = back.filter(({ process }) => process === 0).length
      expect(Math.abs(ofFirst / back.length - 0.5)).toBeLessThan(0.05)
    }).pipe(Effect.scoped),
  )

  it.effect("says once that the store does not respond, or fails, and goes on without it", () => {
    const logged: Array<string> = []
    const log = Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))])
    return Effect.gen(function* () {
      const { store, counts } = memoryStore()
      const limited = service(20)
      yield* start(1, limited, store)
      yield* TestClock.adjust("30 seconds")
      expect(logged).toEqual([])
      counts.hangs = true
      yield* TestClock.adjust("30 seconds")
      const said = (why: string) =>
        `The shared request budget can't be reached (${why}). Until it can, this process keeps to its share of the last known rate.`
      expect(logged).toEqual([said("it does not respond")])
      const alone = within(limited.sent, 35, 60)
      expect(alone.length).toBeGreaterThan(0.9 * 25 * 20)
      expect(refused(alone)).toBeLessThan(0.02 * alone.length)
      counts.hangs = false
      yield* TestClock.adjust("10 seconds")
      counts.isAway = true
      yield* TestClock.adjust("10 seconds")
      expect(logged).toEqual([said("it does not respond"), said("it is away")])
    }).pipe(Effect.scoped, Effect.provide(log))
  })

  it.effect("learns anew where what is stored is of another version", () =>
    Effect.gen(function* () {
      const { store, stored } = memoryStore('{"pace":{}}')
      const limited = service(20)
      yield* start(1, limited, store)
      yield* TestClock.adjust("10 seconds")
      expect(limited.sent.length).toBeGreaterThan(100)
      expect(JSON.parse(stored().state ?? "")).toMatchObject({
        pace: { growth: expect.any(Number) },
      })
    }).pipe(Effect.scoped),
  )

  it.effect("leaves the whole rate to a process whose neighbours have nothing to send", () =>
    Effect.gen(function* () {
      const { store } = memoryStore()
      const limited = service(20)
      const idle = Layer.build(RequestBudget.layer({}, store))
      yield* Effect.forkScoped(idle)
      yield* start(1, limited, store)
      yield* TestClock.adjust("90 seconds")
      const late = within(limited.sent, 60, 90)
      expect(late.length).toBeGreaterThan(0.95 * 30 * 20)
    }).pipe(Effect.scoped),
  )

  it.effect("starts from what was learnt, however long ago", () =>
    Effect.gen(function* () {
      const { store } = memoryStore()
      const limited = service(20)
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* start(1, limited, store)
          yield* TestClock.adjust("2 minutes")
        }),
      )
      for (const later of ["1 second", "1 hour", "1 day"] as const) {
        yield* TestClock.adjust(later)
        const again = service(20)
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* start(2, again, store)
            yield* TestClock.adjust("60 seconds")
          }),
        )
        expect(refused(again.sent) / again.sent.length).toBeLessThan(0.005)
        expect(again.sent.length / 60 / 20).toBeGreaterThan(0.95)
      }
    }),
  )
})
