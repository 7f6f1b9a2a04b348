// The laws of reading by time, against a small model of the service: however much it returns at once, nothing is
// lost or stored twice, and no request is wasted.
import { describe, expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { MAX_CLOCK_SECONDS_OFF } from "../../../src/domain/run/clockTolerance.ts"
import { ApiError } from "../../../src/domain/wire/errors.ts"
import type { TimeCursor } from "../../../src/extract/paginators/timeCursor.ts"
import {
  timeWindows,
  type TimeStep,
  type TimeWindow,
} from "../../../src/extract/paginators/timeWindows.ts"

const SECOND = 1_000_000
const DAY = 86_400 * SECOND
const NOW = 20_000 * DAY
const OVERLAP = 2 * DAY

interface Entry {
  readonly id: string
  readonly at: number
}

interface Options {
  readonly cursor?: TimeCursor | undefined
  /** The most entries the service returns at once. */
  readonly cap?: number
  /** Entries that the service leaves out only after the response was cut off. */
  readonly hides?: (entry: Entry) => boolean
  /** How long a response that was seen to be whole needs no second look; none if absent. */
  readonly recheck?: number
  readonly since?: number
  readonly until?: number
  /** When it is read, microseconds since 1970; later than all records if absent. */
  readonly now?: number
  /** The service does not know the name of the window's end. */
  readonly ignoresEnd?: boolean
  /** Where the service fails whose response has an entry. */
  readonly breaks?: (entry: Entry) => boolean
  /** How coarse the times are that the service compares, in microseconds; if absent, it reads milliseconds. */
  readonly unit?: number
}

type Step = TimeStep<ReadonlyArray<Entry>>

const serverError = new ApiError({
  reason: { _tag: "ServerError" },
  endpoint: "test",
  subject: "-",
  status: 500,
  detail: "broken",
  attempts: 1,
  responses: [],
})

/** Newest first, both ends inclusive to the millisecond that it reads, cut off at the cap. */
const stream = (
  service: ReadonlyArray<Entry>,
  requests: Array<TimeWindow>,
  options: Options = {},
): Stream.Stream<Step, ApiError> =>
  timeWindows({
    cursor: options.cursor,
    overlap: OVERLAP,
    recheck: options.recheck ?? 0,
    since: options.since,
    until: options.until,
    read: (window) => {
      requests.push(window)
      // Services refuse a window that ends before it begins.
      expect(window.from ?? -Infinity).toBeLessThanOrEqual(window.to ?? Infinity)
      const { unit = 1000 } = options
      const from = Math.floor((window.from ?? 0) / unit) * unit
      const to = options.ignoresEnd ? Infinity : Math.floor((window.to ?? Infinity) / unit) * unit
      const response = service
        .filter(({ at }) => at >= from && (unit <= 1000 ? at : Math.floor(at / unit) * unit) <= to)
        .toSorted((a, b) => b.at - a.at || a.id.localeCompare(b.id))
        .slice(0, options.cap ?? Infinity)
      if (response.some((entry) => options.breaks?.(entry))) return Effect.fail(serverError)
      const content = response.filter((entry) => options.hides?.(entry) !== true)
      return Effect.succeed({ content, times: content.map(({ at }) => at) })
    },
  }).pipe(Stream.provideService(Clock.Clock, clockAt(options.now ?? NOW + 1000 * DAY)))

const machineClock = Effect.runSync(Clock.Clock)
const clockAt = (now: number): Clock.Clock =>
  Object.assign(Object.create(machineClock) as Clock.Clock, {
    currentTimeMillis: Effect.succeed(now / 1000),
  })

const readAll = (
  service: ReadonlyArray<Entry>,
  options: Options = {},
  requests: Array<TimeWindow> = [],
) => Stream.runCollect(stream(service, requests, options))

const read = (...runs: ReadonlyArray<ReadonlyArray<Step>>): ReadonlyArray<string> =>
  [...new Set(runs.flat().flatMap(({ content }) => content.map(({ id }) => id)))].toSorted()

const idsOf = (service: ReadonlyArray<Entry>): ReadonlyArray<string> =>
  service.map(({ id }) => id).toSorted()

const cursorOf = (steps: ReadonlyArray<Step>): TimeCursor | undefined => steps.at(-1)?.cursor

const between = (minimum: number, maximum: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** Groups of entries of one instant, and how long before the group after it each lies. */
const Groups = Schema.Array(
  Schema.Struct({
    /** From ties within a microsecond to months of silence. */
    unit: Schema.Literals([0, 1, 700, 1000, SECOND / 2, SECOND, 3600 * SECOND, 10 * DAY]),
    times: between(0, 5),
    ties: between(1, 4),
  }),
).check(Schema.isMaxLength(25))

const serviceOf = (
  groups: Schema.Schema.Type<typeof Groups>,
  newest = NOW,
): ReadonlyArray<Entry> => {
  let at = newest
  return groups.flatMap(({ unit, times, ties }, group) => {
    at -= unit * times
    return Array.from({ length: ties }, (_, tie) => ({ id: `${group}/${tie}`, at }))
  })
}

/** Most entries of one millisecond: what a cap must leave room for. */
const widest = (service: ReadonlyArray<Entry>): number => {
  const counts = new Map<number, number>()
  for (const { at } of service) {
    const milli = Math.ceil(at / 1000)
    counts.set(milli, (counts.get(milli) ?? 0) + 1)
  }
  return Math.max(0, ...counts.values())
}

/** A cap that can hold every millisecond, and one entry more; none for 0. */
const capFor = (service: ReadonlyArray<Entry>, room: number): number =>
  room === 0 ? Infinity : widest(service) + room

describe("timeWindows", () => {
  it.effect.prop(
    "a first run reads everything, whatever the service gives out at once",
    [Groups, between(0, 30)],
    ([groups, room]) =>
      Effect.gen(function* () {
        const service = serviceOf(groups)
        const steps = yield* readAll(service, { cap: capFor(service, room) })
        expect(read(steps)).toEqual(idsOf(service))
        const newest = service.length === 0 ? undefined : Math.max(...service.map(({ at }) => at))
        expect(cursorOf(steps)?.through).toBe(newest)
        expect(cursorOf(steps)?.pending).toBeUndefined()
        expect(steps.filter(({ tie, ignoresEnd }) => tie !== undefined || ignoresEnd)).toEqual([])
      }),
  )

  it.effect.prop(
    "sends no more requests than needed and one that shows the end",
    [between(0, 300), between(3, 60)],
    ([length, cap]) =>
      Effect.gen(function* () {
        const service = Array.from({ length }, (_, index) => ({
          id: String(index),
          at: NOW - index * 3600 * SECOND,
        }))
        const requests: Array<TimeWindow> = []
        yield* readAll(service, { cap }, requests)
        // Neighbouring responses share one entry.
        expect(requests.length).toBeLessThanOrEqual(Math.ceil(length / (cap - 1)) + 2)
        const whole: Array<TimeWindow> = []
        yield* readAll(service, {}, whole)
        expect(whole.length).toBeLessThanOrEqual(2)
      }),
  )

  it.effect.prop(
    "stopped after any response, the next run reads the rest and what came meanwhile",
    [Groups, between(0, 10), between(0, 12), Groups],
    ([groups, room, stop, later]) =>
      Effect.gen(function* () {
        const service = serviceOf(groups)
        const news = serviceOf(later, NOW + 400 * DAY)
          .filter(({ at }) => at > NOW)
          .map(({ id, at }) => ({ id: `new ${id}`, at }))
        const grown = [...service, ...news]
        const cap = capFor(grown, room)
        const before = yield* Stream.runCollect(Stream.take(stream(service, [], { cap }), stop))
        const after = yield* readAll(grown, { cap, cursor: cursorOf(before) })
        expect(read(before, after)).toEqual(idsOf(grown))
        // Stopped a second time.
        const again = yield* Stream.runCollect(
          Stream.take(stream(grown, [], { cap, cursor: cursorOf(before) }), 1),
        )
        const last = yield* readAll(grown, { cap, cursor: cursorOf(again) ?? cursorOf(before) })
        expect(read(before, again, last)).toEqual(idsOf(grown))
      }),
  )

  it.effect.prop(
    "old records that keep failing keep back no new ones, and are read once they don't fail",
    // So many that none within the overlap fails.
    [between(4, 8), between(2, 8), between(1, 40), between(1, 40)],
    ([pages, cap, later, last]) =>
      Effect.gen(function* () {
        const daily = (count: number, newest: number, name: string) =>
          Array.from({ length: count }, (_, index) => ({
            id: `${name} ${index}`,
            at: newest - index * DAY,
          }))
        const old = daily(70, NOW, "old")
        const first = yield* Stream.runCollect(Stream.take(stream(old, [], { cap }), pages))
        let cursor = cursorOf(first)
        const oldest = Math.min(...first.flatMap(({ content }) => content.map(({ at }) => at)))
        const breaks = ({ at }: Entry) => at < oldest
        const seen = [...first]
        const service = [...old]
        let now = NOW
        for (const days of [later, last]) {
          now += days * DAY
          service.unshift(...daily(days, now, `until ${now}`))
          const requests: Array<TimeWindow> = []
          const failed = yield* stream(service, requests, { cap, cursor, breaks }).pipe(
            Stream.runForEach((step) => {
              seen.push(step)
              cursor = step.cursor ?? cursor
              return Effect.void
            }),
            Effect.flip,
          )
          expect(failed).toBe(serverError)
          expect(read(seen)).toEqual(idsOf(service.filter((entry) => !breaks(entry))))
          // No more than what is new, the overlap and the request that fails.
          expect(requests.length).toBeLessThanOrEqual(Math.ceil((days + 4) / (cap - 1)) + 3)
        }
        const rest = yield* readAll(service, { cap, cursor })
        expect(read(seen, rest)).toEqual(idsOf(service))
        expect(cursorOf(rest)).toMatchObject({ through: now, pending: undefined })
      }),
  )

  it.effect.prop(
    "a later run reads what is new and what came late within the overlap",
    [
      Groups,
      between(0, 10),
      Groups,
      Schema.Array(between(0, OVERLAP / 1000)).check(Schema.isMaxLength(5)),
    ],
    ([groups, room, later, late]) =>
      Effect.gen(function* () {
        const service = [{ id: "newest", at: NOW }, ...serviceOf(groups, NOW)]
        const news = serviceOf(later, NOW + 300 * DAY)
          .filter(({ at }) => at > NOW)
          .map(({ id, at }) => ({ id: `new ${id}`, at }))
        const belated = late.map((back, index) => ({ id: `late ${index}`, at: NOW - back * 1000 }))
        const grown = [...service, ...news, ...belated]
        const cap = capFor(grown, room)
        const first = yield* readAll(service, { cap })
        const second = yield* readAll(grown, { cap, cursor: cursorOf(first) })
        expect(read(first, second)).toEqual(idsOf(grown))
        expect(second.filter(({ suspicious }) => suspicious)).toEqual([])
      }),
  )

  it.effect("a run with nothing new sends one request, for the overlap", () =>
    Effect.gen(function* () {
      const service = Array.from({ length: 250 }, (_, index) => ({
        id: String(index),
        at: NOW - index * 18 * 3600 * SECOND,
      }))
      const first = yield* readAll(service)
      const requests: Array<TimeWindow> = []
      const second = yield* readAll(service, { cursor: cursorOf(first) }, requests)
      expect(requests).toEqual([{ from: NOW - OVERLAP - SECOND, to: undefined }])
      expect(cursorOf(second)).toEqual(cursorOf(first))
    }),
  )

  const WEEK = 7 * DAY
  const small = (...ages: ReadonlyArray<number>): ReadonlyArray<Entry> =>
    ages.map((age) => ({ id: `${age} hours old`, at: NOW - age * 3600 * SECOND }))
  const hour = (number: number) => NOW + 100 * DAY + number * 3600 * SECOND

  it.effect.each([[1], [3]])(
    "a history of %i that lies within the overlap costs one request",
    ([count]) =>
      Effect.gen(function* () {
        const service = small(...[0, 1, 2].slice(0, count))
        let cursor: TimeCursor | undefined
        const sent: Array<number> = []
        for (const run of [0, 1, 2, 3, 200, 201]) {
          const requests: Array<TimeWindow> = []
          const steps = yield* readAll(service, { cursor, now: hour(run), recheck: WEEK }, requests)
          cursor = cursorOf(steps)
          expect(read(steps)).toEqual(idsOf(service))
          sent.push(requests.length)
        }
        // Once more after a week.
        expect(sent).toEqual([2, 1, 1, 1, 2, 1])
      }),
  )

  it.effect("a limit as large as the history is noticed as soon as the response is another", () =>
    Effect.gen(function* () {
      const options = { cap: 3, recheck: WEEK }
      const service = small(3, 4, 5)
      const first = yield* readAll(service, { ...options, now: hour(0) })
      const grown = [...service, ...small(1, 2)]
      const second = yield* readAll(grown, {
        ...options,
        now: hour(1),
        cursor: cursorOf(first),
      })
      expect(read(second)).toEqual(idsOf(grown))
      // What the limit hides behind the same response comes with the next look.
      const late = [...grown, ...small(6)]
      const cursor = cursorOf(second)
      const soon = yield* readAll(late, { ...options, now: hour(2), cursor })
      const later = { ...options, now: hour(2 + 8 * 24), cursor: cursorOf(soon) ?? cursor }
      expect(read(second, soon, yield* readAll(late, later))).toEqual(idsOf(late))
    }),
  )

  it.effect("a service that ignores the end of a window shows no end of the history", () =>
    Effect.gen(function* () {
      const service = small(0, 1, 2)
      const options = { ignoresEnd: true, recheck: WEEK }
      const first = yield* readAll(service, { ...options, now: hour(0) })
      expect(cursorOf(first)?.whole).toBeUndefined()
    }),
  )

  it.effect("records dated in the future hide none that arrive before that date", () =>
    Effect.gen(function* () {
      const past = Array.from({ length: 20 }, (_, index) => ({
        id: String(index),
        at: NOW - index * DAY,
      }))
      const service = [{ id: "future", at: NOW + 365 * DAY }, ...past]
      const first = yield* readAll(service, { now: NOW, cap: 3 })
      expect(cursorOf(first)?.through).toBe(NOW)
      // More than the overlap later, and interrupted once.
      const grown = [
        ...service,
        ...[3, 4, 5].map((day) => ({ id: `day ${day}`, at: NOW + day * DAY })),
      ]
      const later = { now: NOW + 5 * DAY, cap: 3 }
      const begun = yield* Stream.runCollect(
        Stream.take(stream(grown, [], { ...later, cursor: cursorOf(first) }), 1),
      )
      const last = { id: "last", at: NOW + 9 * DAY }
      const options = { now: NOW + 10 * DAY, cap: 3, cursor: cursorOf(begun) }
      const rest = yield* readAll([...grown, last], options)
      expect(read(first, begun, rest)).toEqual(idsOf([...grown, last]))
      expect(cursorOf(rest)?.through).toBe(NOW + 10 * DAY)
    }),
  )

  it.effect(
    "a record dated in the future costs no second request in every run without others",
    () =>
      Effect.gen(function* () {
        const service = [{ id: "future", at: NOW + 365 * DAY }, ...small(0, 24, 72, 96, 120)]
        let cursor = cursorOf(yield* readAll(service, { now: NOW }))
        const sent: Array<number> = []
        for (const day of [10, 11, 12, 13]) {
          const requests: Array<TimeWindow> = []
          const options = { cursor, now: NOW + day * DAY, recheck: 7 * DAY }
          cursor = cursorOf(yield* readAll(service, options, requests))
          sent.push(requests.length)
        }
        expect(sent).toEqual([1, 3, 1, 1])
      }),
  )

  it.effect("a mark that an earlier version left in the future makes it read everything once", () =>
    Effect.gen(function* () {
      const service = Array.from({ length: 20 }, (_, index) => ({
        id: String(index),
        at: NOW - index * DAY,
      }))
      const marks: ReadonlyArray<TimeCursor> = [
        { through: NOW + 365 * DAY, largest: 5 },
        { largest: 5, pending: { to: NOW - 15 * DAY, newest: NOW + 365 * DAY } },
        // Runs since an instant before the overlap may have requested nothing of before the mark less the overlap.
        { through: NOW + DAY, largest: 5 },
      ]
      for (const cursor of marks) {
        const first = yield* readAll(service, { now: NOW, cursor })
        expect(read(first)).toEqual(idsOf(service))
        const requests: Array<TimeWindow> = []
        yield* readAll(service, { now: NOW, cursor: cursorOf(first) }, requests)
        expect(requests).toEqual([{ from: NOW - OVERLAP - SECOND, to: undefined }])
      }
      // No more than a clock may be off, as after it was set right.
      const requests: Array<TimeWindow> = []
      const ahead = { through: NOW + MAX_CLOCK_SECONDS_OFF * SECOND, largest: 30 }
      yield* readAll(service, { now: NOW, cursor: ahead }, requests)
      expect(requests).toEqual([{ from: NOW - OVERLAP - SECOND, to: undefined }])
    }),
  )

  it.effect("a service that now returns less at once, in round numbers, is read whole", () =>
    Effect.gen(function* () {
      const service = Array.from({ length: 900 }, (_, index) => ({
        id: String(index),
        at: NOW - index * 60 * SECOND,
      }))
      const first = yield* readAll(service, { cap: 500 })
      const news = Array.from({ length: 350 }, (_, index) => ({
        id: `new ${index}`,
        at: NOW + (index + 1) * 60 * SECOND,
      }))
      const grown = [...service, ...news]
      const second = yield* readAll(grown, { cap: 100, cursor: cursorOf(first) })
      expect(read(first, second)).toEqual(idsOf(grown))
    }),
  )

  describe("a service that returns a month at once", () => {
    /** Denser towards the past, so that every response is larger than the one before it; or the other way round. */
    const months = (isDenserBefore: boolean): ReadonlyArray<Entry> =>
      Array.from({ length: 200 }, (_, index) => {
        const back = isDenserBefore
          ? Math.round(30 * index - (index * index) / 15)
          : Math.round((index * index) / 15)
        return { id: String(index), at: NOW - back * (DAY / 4) }
      })
    const monthly = (
      service: ReadonlyArray<Entry>,
      cursor?: TimeCursor,
      since?: number,
      now = NOW,
    ): Stream.Stream<Step> =>
      timeWindows({
        cursor,
        overlap: OVERLAP,
        recheck: 0,
        since,
        until: undefined,
        read: ({ from = -Infinity, to = now }) => {
          const content = service.filter(({ at }) => at >= from && at <= to && at > to - 30 * DAY)
          return Effect.succeed({ content, times: content.map(({ at }) => at) })
        },
      }).pipe(Stream.provideService(Clock.Clock, clockAt(now + DAY)))

    it.effect.each([true, false])("is read to its first month, denser before: %s", (dense) =>
      Effect.gen(function* () {
        const service = months(dense)
        const steps = yield* Stream.runCollect(monthly(service))
        expect(read(steps)).toEqual(idsOf(service))
      }),
    )

    it.effect("is read to its first month after the reading was stopped", () =>
      Effect.gen(function* () {
        const service = months(false)
        const begun = yield* Stream.runCollect(Stream.take(monthly(service), 2))
        const rest = yield* Stream.runCollect(monthly(service, cursorOf(begun)))
        expect(read(begun, rest)).toEqual(idsOf(service))
        expect(cursorOf(rest)).toMatchObject({ through: NOW, pending: undefined })
      }),
    )

    it.effect("is read to its first month where --since left it out before", () =>
      Effect.gen(function* () {
        const service = months(false)
        const since = NOW - 20 * DAY
        const first = yield* Stream.runCollect(monthly(service, undefined, since))
        const rest = yield* Stream.runCollect(monthly(service, cursorOf(first)))
        expect(read(first, rest)).toEqual(idsOf(service))
        expect(cursorOf(rest)?.from).toBeUndefined()
      }),
    )

    it.effect("is read back to what is stored after months without a run", () =>
      Effect.gen(function* () {
        const first = yield* Stream.runCollect(monthly(months(false)))
        const later = NOW + 80 * DAY
        const news = Array.from({ length: 80 }, (_, index) => ({
          id: `new ${index}`,
          at: later - index * DAY,
        }))
        const grown = [...news, ...months(false)]
        // Stopped once on the way.
        const read80 = monthly(grown, cursorOf(first), undefined, later)
        const begun = yield* Stream.runCollect(Stream.take(read80, 1))
        const rest = yield* Stream.runCollect(monthly(grown, cursorOf(begun), undefined, later))
        const whole = yield* Stream.runCollect(read80)
        expect(read(first, whole)).toEqual(idsOf(grown))
        expect(read(first, begun, rest)).toEqual(idsOf(grown))
        expect(cursorOf(whole)).toMatchObject({ through: later, pending: undefined })
        // The third reaches what is stored.
        expect(whole).toHaveLength(3)
      }),
    )

    const at = (id: string, days: number): Entry => ({ id, at: NOW + days * DAY })

    it.effect.each([
      ["many records", [59, 62, 65, 70, 78]],
      ["one record", [70]],
    ] as const)("tells what it can't reach before %s after a month without any", ([, days]) =>
      Effect.gen(function* () {
        const stored = months(false)
        const first = yield* Stream.runCollect(monthly(stored))
        const news = days.map((day) => at(`new ${day}`, day))
        const grown = [...news, at("lost", 9), ...stored]
        const later = NOW + 80 * DAY
        const run = (cursor = cursorOf(first)) => monthly(grown, cursor, undefined, later)
        const steps = yield* Stream.runCollect(run())
        const lost = { after: NOW, before: Math.min(...news.map((entry) => entry.at)) }
        const expected = { through: Math.max(...news.map((entry) => entry.at)), pending: undefined }
        expect(read(steps)).toEqual(expect.arrayContaining([...idsOf(news)]))
        expect(steps.flatMap(({ unreached = [] }) => unreached)).toEqual([lost])
        expect(cursorOf(steps)).toMatchObject(expected)
        expect(cursorOf(steps)?.whole).toEqual(cursorOf(first)?.whole)
        // Stopped after each response.
        for (const stop of steps.keys()) {
          const begun = yield* Stream.runCollect(Stream.take(run(), stop))
          const rest = yield* Stream.runCollect(run(cursorOf(begun)))
          const told = rest.flatMap(({ unreached = [] }) => unreached)
          expect(told).toMatchObject([{ after: NOW }])
          expect(Math.abs((told[0]?.before ?? 0) - lost.before)).toBeLessThanOrEqual(SECOND)
          expect(cursorOf(rest)).toMatchObject(expected)
        }
      }),
    )

    it.effect("a month with one record hides none before it, and is no instant with too many", () =>
      Effect.gen(function* () {
        const first = yield* Stream.runCollect(monthly(months(false)))
        const grown = [at("newest", 60), at("before", 35), at("first", 10), ...months(false)]
        const steps = yield* Stream.runCollect(
          monthly(grown, cursorOf(first), undefined, NOW + 80 * DAY),
        )
        expect(read(first, steps)).toEqual(idsOf(grown))
        expect(steps.flatMap(({ tie = [], unreached = [] }) => [tie, unreached].flat())).toEqual([])
      }),
    )
  })

  it.effect(
    "a response cut off before entries are left out of it is continued to what is stored",
    () =>
      Effect.gen(function* () {
        const hourly = (count: number, newest: number, name: string) =>
          Array.from({ length: count }, (_, index) => ({
            id: `${name} ${index}`,
            at: newest - index * 3600 * SECOND,
          }))
        const service = hourly(150, NOW, "old")
        const first = yield* readAll(service, { cap: 100 })
        const grown = [...service, ...hourly(250, NOW + 250 * 3600 * SECOND, "new")]
        const hides = ({ id }: Entry) => id === "new 7"
        const second = yield* readAll(grown, { cap: 100, hides, cursor: cursorOf(first) })
        expect(read(first, second)).toEqual(idsOf(grown.filter((entry) => !hides(entry))))
      }),
  )

  it.effect("costs two requests more where the newest record stored is no longer there", () =>
    Effect.gen(function* () {
      const first = yield* readAll(small(0, 24, 72, 96, 120))
      const grown = [
        { id: "new", at: NOW + 2 * DAY },
        { id: "newer", at: NOW + 3 * DAY },
      ]
      for (const [service, count] of [
        [[...grown, ...small(0)], 1],
        [[...grown, ...small(24)], 1],
        // The last ends at that record.
        [grown, 3],
      ] as const) {
        const requests: Array<TimeWindow> = []
        const options = { cursor: cursorOf(first), now: NOW + 3 * DAY, recheck: 7 * DAY }
        const steps = yield* readAll(service, options, requests)
        expect(requests).toHaveLength(count)
        expect(steps.flatMap(({ unreached = [] }) => unreached)).toEqual([])
        expect(steps.filter(({ tie }) => tie !== undefined)).toEqual([])
      }
    }),
  )

  it.effect("an instant that fills a response is reported, and older entries are still read", () =>
    Effect.gen(function* () {
      const tied = Array.from({ length: 7 }, (_, index) => ({ id: `tie ${index}`, at: NOW }))
      const older = [{ id: "older", at: NOW - DAY }]
      const steps = yield* readAll([...tied, ...older], { cap: 5 })
      expect(read(steps)).toContain("older")
      expect(steps.map(({ tie }) => tie).filter((tie) => tie !== undefined)).toEqual([NOW])
      // A single record proves nothing and takes one more request.
      const requests: Array<TimeWindow> = []
      const single = yield* readAll([{ id: "only", at: NOW }], {}, requests)
      expect(requests).toHaveLength(2)
      expect(single.some(({ tie }) => tie !== undefined)).toBe(false)
    }),
  )

  it.effect.prop(
    "a service that compares microseconds is read whole, however many it has of a millisecond",
    [Groups, between(1, 5)],
    ([groups, room]) =>
      Effect.gen(function* () {
        const service = serviceOf(groups)
        const counts = Map.groupBy(service, ({ at }) => at)
        const cap = room + Math.max(0, ...[...counts.values()].map(({ length }) => length))
        const steps = yield* readAll(service, { cap, unit: 1 })
        expect(read(steps)).toEqual(idsOf(service))
        expect(steps.filter(({ tie }) => tie !== undefined)).toEqual([])
      }),
  )

  it.effect("what a service that compares milliseconds leaves out of one is reported", () =>
    Effect.gen(function* () {
      const close = (count: number) =>
        Array.from({ length: count }, (_, index) => ({ id: `${index}`, at: NOW + 900 - 2 * index }))
      const older = [{ id: "older", at: NOW - DAY }]
      const exact = yield* readAll([...close(250), ...older], { cap: 100, unit: 1 })
      expect(read(exact)).toHaveLength(251)
      expect(exact.filter(({ tie }) => tie !== undefined)).toEqual([])
      const coarse = yield* readAll([...close(250), ...older], { cap: 100 })
      expect(read(coarse)).toContain("older")
      expect(coarse.map(({ tie }) => tie).filter((tie) => tie !== undefined)).toHaveLength(1)
      // All that the service has fits into a response.
      const few = yield* readAll([...close(30), ...older], {})
      expect(read(few)).toHaveLength(31)
      expect(few.filter(({ tie }) => tie !== undefined)).toEqual([])
    }),
  )

  it.effect("older entries are read from a service that compares whole seconds too", () =>
    Effect.gen(function* () {
      const second = Array.from({ length: 7 }, (_, index) => ({
        id: `tie ${index}`,
        at: NOW + (900 + index) * 1000,
      }))
      const older = [{ id: "older", at: NOW - DAY }]
      const steps = yield* Stream.runCollect(
        Stream.take(stream([...second, ...older], [], { cap: 5, unit: SECOND }), 10),
      )
      expect(read(steps)).toContain("older")
      expect(steps.length).toBeLessThan(10)
      // Two of the second don't fit into a response.
      expect(steps.map(({ tie }) => tie).filter((tie) => tie !== undefined)).toEqual([
        NOW + 902_000,
      ])
    }),
  )

  it.effect("instants that each fill a response hide none of the same second", () =>
    Effect.gen(function* () {
      const tied = (at: number) =>
        Array.from({ length: 5 }, (_, index) => ({ id: `${NOW - at} ${index}`, at }))
      const older = [{ id: "older", at: NOW - SECOND / 2 }]
      const service = [...tied(NOW), ...tied(NOW - 1000), ...older]
      expect(read(yield* readAll(service, { cap: 5 }))).toEqual(idsOf(service))
    }),
  )

  it.effect(
    "no window is requested for ever where the service returns more than was asked for",
    () =>
      Effect.gen(function* () {
        const later = [1.9, 1.8, 1.7, 1.6].map((seconds) => ({
          id: `${seconds} s later`,
          at: NOW + seconds * SECOND,
        }))
        const service = [...later, { id: "newest", at: NOW }, { id: "older", at: NOW - DAY }]
        const steps = yield* Stream.runCollect(
          Stream.take(stream(service, [], { cap: 5, unit: SECOND }), 10),
        )
        expect(read(steps)).toEqual(idsOf(service))
        expect(steps.length).toBeLessThan(10)
      }),
  )

  it.effect(
    "as many entries of one instant as a limit may be are reported, though none is older",
    () =>
      Effect.gen(function* () {
        const tied = (count: number) =>
          Array.from({ length: count }, (_, index) => ({ id: `tie ${index}`, at: NOW }))
        const [few, many] = [yield* readAll(tied(49)), yield* readAll(tied(50))]
        expect(few.some(({ tie }) => tie !== undefined)).toBe(false)
        expect(many.map(({ tie }) => tie).filter((tie) => tie !== undefined)).toEqual([NOW])
      }),
  )

  it.effect("an instant that fills a response hides none of --since", () =>
    Effect.gen(function* () {
      const tied = Array.from({ length: 5 }, (_, index) => ({ id: `tie ${index}`, at: NOW }))
      const service = [...tied, { id: "first", at: NOW - 1000 }, { id: "before", at: NOW - 2000 }]
      const [from, later] = [NOW - 1000, NOW]
      expect(read(yield* readAll(service, { cap: 5, since: from }))).toEqual(
        idsOf(service.slice(0, -1)),
      )
      expect(yield* readAll(service, { cap: 5, since: later })).toHaveLength(1)
    }),
  )

  it.effect("a service that ignores the end of a window is noticed, and the reading ends", () =>
    Effect.gen(function* () {
      const service = Array.from({ length: 40 }, (_, index) => ({
        id: String(index),
        at: NOW - index * DAY,
      }))
      const requests: Array<TimeWindow> = []
      const steps = yield* readAll(service, { cap: 10, ignoresEnd: true }, requests)
      expect(steps.some(({ ignoresEnd }) => ignoresEnd)).toBe(true)
      expect(requests.length).toBeLessThan(4)
    }),
  )

  it.effect("an empty response after earlier records is suspicious and moves nothing", () =>
    Effect.gen(function* () {
      const first = yield* readAll([{ id: "one", at: NOW }])
      const [step, ...others] = yield* readAll([], { cursor: cursorOf(first) })
      expect(step).toMatchObject({ suspicious: true, cursor: cursorOf(first) })
      expect(others).toEqual([])
      expect(yield* readAll([])).toMatchObject([{ suspicious: false, count: 0, cursor: undefined }])
      // Up to an instant before the newest record there may be none, but not up to a later one.
      for (const [until, suspicious] of [
        [NOW - 1, false],
        [NOW, true],
        [NOW + 1, true],
      ] as const) {
        const steps = yield* readAll([], { cursor: cursorOf(first), until })
        expect(steps).toMatchObject([{ suspicious }])
        expect(cursorOf(steps)?.through).toBe(NOW)
      }
    }),
  )

  it.effect.prop(
    "--since bounds the reading, and lifting it reads the rest, even if stopped on the way",
    [between(0, 60), between(3, 20), between(0, 5)],
    ([days, cap, stop]) =>
      Effect.gen(function* () {
        const service = Array.from({ length: 60 }, (_, index) => ({
          id: String(index),
          at: NOW - index * DAY,
        }))
        const since = NOW - days * DAY
        const first = yield* readAll(service, { since, cap })
        expect(read(first)).toEqual(idsOf(service.filter(({ at }) => at >= since)))
        const again = yield* readAll(service, { since, cap, cursor: cursorOf(first) })
        const cursor = cursorOf(again)
        const begun = yield* Stream.runCollect(
          Stream.take(stream(service, [], { cap, cursor }), stop),
        )
        const rest = yield* readAll(service, { cap, cursor: cursorOf(begun) ?? cursor })
        expect(read(first, again, begun, rest)).toEqual(idsOf(service))
        expect(cursorOf(rest)?.from).toBeUndefined()
      }),
  )

  it.effect("what lies a little before --since is read once it is lifted", () =>
    Effect.gen(function* () {
      const since = NOW - 10 * DAY
      const service = [
        { id: "newest", at: NOW },
        { id: "oldest", at: since },
        { id: "before", at: since - SECOND / 2 },
      ]
      const first = yield* readAll(service, { since })
      expect(read(first)).toEqual(["newest", "oldest"])
      expect(read(first, yield* readAll(service, { cursor: cursorOf(first) }))).toEqual(
        idsOf(service),
      )
    }),
  )

  it.effect("the same --since, or a later one, sends no request for what was read before", () =>
    Effect.gen(function* () {
      const service = Array.from({ length: 30 }, (_, index) => ({
        id: String(index),
        at: NOW - index * DAY,
      }))
      const since = NOW - 20 * DAY
      const first = yield* readAll(service, { since })
      for (const later of [since, since + 5 * DAY]) {
        const requests: Array<TimeWindow> = []
        const again = yield* readAll(service, { since: later, cursor: cursorOf(first) }, requests)
        expect(requests).toEqual([{ from: NOW - OVERLAP - SECOND, to: undefined }])
        expect(cursorOf(again)?.from).toBe(since)
      }
    }),
  )

  it.effect("--until leaves what came after to the next run", () =>
    Effect.gen(function* () {
      const service = Array.from({ length: 60 }, (_, index) => ({
        id: String(index),
        at: NOW - index * DAY,
      }))
      const until = NOW - 20 * DAY
      const first = yield* readAll(service, { until, cap: 7 })
      expect(read(first)).toEqual(idsOf(service.filter(({ at }) => at <= until)))
      const second = yield* readAll(service, { cap: 7, cursor: cursorOf(first) })
      expect(read(first, second)).toEqual(idsOf(service))
    }),
  )
})
