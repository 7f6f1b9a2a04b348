// The laws of reading by date, against a small model of the service: nothing is lost and nothing requested twice
// without need, however dense the series, wherever its holes, whenever the reading stops.
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { ApiError } from "../../../src/domain/wire/errors.ts"
import type {
  DateWindow,
  DayRange,
  SeriesCursor,
} from "../../../src/extract/paginators/dateWindow.ts"
import {
  type DateWindows,
  dateWindows,
  type WindowStep,
} from "../../../src/extract/paginators/dateWindows.ts"

const TODAY = 20_000
const LIMIT = 100
const WINDOW = 20

/** Points by day: `points.get(day)` of them. */
type Service = ReadonlyMap<number, number>
type Point = string

const error = (tag: "ContractViolation" | "ServerError" | "Forbidden"): ApiError =>
  new ApiError({
    reason: tag === "ContractViolation" ? { _tag: tag, path: "$" } : { _tag: tag },
    endpoint: "test",
    subject: "-",
    status: undefined,
    detail: tag,
    attempts: 1,
    responses: [],
  })

interface Options {
  readonly cursor?: SeriesCursor | undefined
  readonly gaps?: ReadonlyArray<DayRange>
  readonly hasPoints?: (day: number) => boolean
  readonly isKnownEmpty?: boolean
  readonly known?: SeriesCursor
  readonly since?: number
  readonly until?: number
  readonly broken?: ReadonlySet<number>
  readonly failWith?: ApiError
  readonly today?: number
  /** The most points the service really returns at once. */
  readonly cap?: number
  /** Days whose points hold nothing. */
  readonly hollow?: (day: number) => boolean
  /** The first day of a request for everything, if the service has one of its own. */
  readonly start?: number
  /** Which end of a window the service does not read, if any. */
  readonly ignores?: ReadonlySet<"from" | "to">
}

/** More requests than any series of these tests takes: one that is read for ever fails. */
const MOST_REQUESTS = 1000

/** Newest first and cut off at LIMIT (§4.1). */
const stream = (service: Service, requests: Array<DateWindow>, options: Options = {}) =>
  dateWindows<ReadonlyArray<Point>, never, never>({
    cursor: options.cursor,
    ...(options.known === undefined ? {} : { known: options.known }),
    isKnownEmpty: options.isKnownEmpty ?? false,
    gaps: options.gaps ?? [],
    hasPoints: options.hasPoints ?? (() => false),
    today: options.today ?? TODAY,
    windowDays: WINDOW,
    overlapDays: 2,
    since: options.since,
    until: options.until,
    read: (window) => {
      requests.push(window)
      if (requests.length > MOST_REQUESTS) return Effect.die("requests without end")
      const from =
        options.ignores?.has("from") === true
          ? -Infinity
          : (window.from ?? options.start ?? -Infinity)
      const to = options.ignores?.has("to") === true ? Infinity : window.to
      const days = [...service.keys()]
        .filter((day) => day <= to && day >= from)
        .toSorted((a, b) => b - a)
      if (days.some((day) => options.broken?.has(day))) {
        return Effect.fail(options.failWith ?? error("ContractViolation"))
      }
      const points = days
        .flatMap((day) =>
          Array.from({ length: service.get(day) ?? 0 }, (_, index) => ({ day, index })),
        )
        .slice(0, Math.min(LIMIT, options.cap ?? LIMIT))
      const filled = points.filter(({ day }) => options.hollow?.(day) !== true)
      const last = filled.at(-1)
      return Effect.succeed({
        content: filled.map(({ day, index }) => `${day}/${index}`),
        points: points.length,
        isEmpty: points.length === 0,
        oldest: last?.day,
        newest: filled[0]?.day,
        hasOnlyEmptyDays: false,
        startsLate: (last?.index ?? 0) < (service.get(last?.day ?? 0) ?? 1) - 1,
        full: points.length === LIMIT,
      })
    },
  })

const readAll = (service: Service, requests: Array<DateWindow>, options: Options = {}) =>
  Stream.runCollect(stream(service, requests, options))

const pointsIn = (steps: ReadonlyArray<WindowStep<ReadonlyArray<Point>>>): Set<Point> =>
  new Set(steps.flatMap((step) => (step._tag === "Read" ? step.content : [])))

const allPoints = (service: Service, from = -Infinity, to = Infinity): Set<Point> =>
  new Set(
    [...service]
      .filter(([day]) => day >= from && day <= to)
      .flatMap(([day, count]) => Array.from({ length: count }, (_, index) => `${day}/${index}`)),
  )

/** Stretches of days with points, and of days without, from some day in the past on. */
const Stretches = Schema.Array(
  Schema.Struct({
    silent: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 120 })),
    days: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 60 })),
    perDay: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: LIMIT - 1 })),
  }),
).check(Schema.isMaxLength(5))

const PER_DAY = 7
/** Of points in a response: a day's at least. */
const Cap = Schema.Int.check(Schema.isBetween({ minimum: PER_DAY + 1, maximum: LIMIT - 1 }))
const Gap = Schema.Struct({
  ago: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 120 })),
  days: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 40 })),
})

const serviceOf = (stretches: Schema.Schema.Type<typeof Stretches>): Map<number, number> => {
  const service = new Map<number, number>()
  let day = TODAY
  for (const { silent, days, perDay } of stretches) {
    day -= silent
    for (let count = 0; count < days; count += 1) service.set(day--, perDay)
  }
  return service
}

const eachDay = ({ from, to }: DayRange): Array<number> =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at)

/** Days that responses cover, within three years. */
const daysIn = (steps: ReadonlyArray<WindowStep<unknown>>): ReadonlyArray<number> =>
  steps.flatMap((step) =>
    step._tag === "Read" && step.covered !== undefined
      ? eachDay({ from: Math.max(step.covered.from, TODAY - 1000), to: step.covered.to })
      : [],
  )

const lastCursor = (steps: ReadonlyArray<WindowStep<unknown>>): SeriesCursor | undefined =>
  steps.findLast(({ cursor }) => cursor !== undefined)?.cursor

describe("dateWindows", () => {
  it.effect.prop("a first run reads every point, whatever the holes", [Stretches], ([stretches]) =>
    Effect.gen(function* () {
      const service = serviceOf(stretches)
      const steps = yield* readAll(service, [])
      expect(pointsIn(steps)).toEqual(allPoints(service))
      const cursor = lastCursor(steps)
      expect(cursor?.complete).toBe(true)
      if (service.size === 0) expect(cursor).toMatchObject({ through: TODAY, newest: null })
      // Every day to the beginning of time: a gap that began before the series is closed too.
      const covered = new Set(daysIn(steps))
      expect(eachDay({ from: TODAY - 1000, to: TODAY }).filter((day) => !covered.has(day))).toEqual(
        [],
      )
    }),
  )

  it.effect.prop(
    "a series that an earlier run found empty costs one request, and is read whole once it has points",
    [Stretches],
    ([stretches]) =>
      Effect.gen(function* () {
        const requests: Array<DateWindow> = []
        const newest = { from: TODAY - WINDOW + 1, to: TODAY }
        const none = yield* readAll(new Map(), requests, { isKnownEmpty: true })
        expect(requests).toMatchObject([newest])
        expect(lastCursor(none)).toBeUndefined()
        const service = serviceOf([{ silent: 3, days: 1, perDay: 3 }, ...stretches])
        const steps = yield* readAll(service, [], { isKnownEmpty: true })
        expect(pointsIn(steps)).toEqual(allPoints(service))
        expect(lastCursor(steps)?.complete).toBe(true)
      }),
  )

  it.effect("what earlier runs have read, or this one leaves out, is not replaced by nothing", () =>
    Effect.gen(function* () {
      const known = { through: TODAY - 50, newest: TODAY - 50, from: TODAY - 90, complete: true }
      expect(lastCursor(yield* readAll(new Map(), [], { known }))).toBeUndefined()
      expect(lastCursor(yield* readAll(new Map(), [], { since: TODAY - 90 }))).toBeUndefined()
    }),
  )

  it.effect("a series whose newest points hold nothing is read to its beginning", () =>
    Effect.gen(function* () {
      const service = serviceOf([{ silent: 0, days: 75, perDay: 1 }])
      const hollow = (day: number) => day > TODAY - 50
      const steps = yield* readAll(service, [], { hollow })
      expect(pointsIn(steps)).toEqual(allPoints(service, -Infinity, TODAY - 50))
    }),
  )

  it.effect.prop(
    "stopped after any step, the next run reads the rest",
    [Stretches, Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 30 }))],
    ([stretches, stop]) =>
      Effect.gen(function* () {
        const service = serviceOf(stretches)
        const before = yield* Stream.runCollect(Stream.take(stream(service, []), stop))
        const after = yield* readAll(service, [], { cursor: lastCursor(before) })
        expect(new Set([...pointsIn(before), ...pointsIn(after)])).toEqual(allPoints(service))
      }),
  )

  it.effect.prop(
    "a second run reads what came since, and sends one request when nothing did",
    [Stretches, Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 90 }))],
    ([stretches, later]) =>
      Effect.gen(function* () {
        const service = serviceOf([{ silent: 0, days: 1, perDay: 3 }, ...stretches])
        const first = yield* readAll(service, [])
        const grown = new Map(service)
        for (let day = TODAY + 1; day <= TODAY + later; day += 1) grown.set(day, 3)
        const requests: Array<DateWindow> = []
        const second = yield* readAll(grown, requests, {
          cursor: lastCursor(first),
          today: TODAY + later,
        })
        expect(new Set([...pointsIn(first), ...pointsIn(second)])).toEqual(allPoints(grown))
        const expected = allPoints(grown, (lastCursor(first)?.through ?? 0) - 2)
        if (expected.size < LIMIT) expect(requests).toHaveLength(1)
      }),
  )

  it.effect.prop(
    "a broken day costs its window and no more, and is read once it is fixed",
    [Stretches, Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 300 }))],
    ([stretches, back]) =>
      Effect.gen(function* () {
        const service = serviceOf(stretches)
        const broken = TODAY - back
        const first: Array<WindowStep<ReadonlyArray<Point>>> = []
        const ended = yield* stream(service, [], { broken: new Set([broken]) }).pipe(
          Stream.runForEach((step) => Effect.sync(() => first.push(step))),
          Effect.result,
        )
        const failed = first.filter((step) => step._tag === "Failed")
        const gaps = failed.map(({ window }) => window)
        for (const { from, to } of gaps) expect(to - from).toBeLessThan(WINDOW)
        const lost = new Set(gaps.flatMap(({ from, to }) => [...allPoints(service, from, to)]))
        const read = pointsIn(first)
        for (const point of allPoints(service)) {
          // A broken point behind a hole ends the reading with an error.
          expect(read.has(point) || lost.has(point) || Result.isFailure(ended)).toBe(true)
        }
        const second = yield* readAll(service, [], { cursor: lastCursor(first), gaps })
        expect(new Set([...read, ...pointsIn(second)])).toEqual(allPoints(service))
        const covered = daysIn(second)
        for (const gap of gaps) expect(covered).toEqual(expect.arrayContaining(eachDay(gap)))
      }),
  )

  it.effect.prop(
    "a service that returns less than it says is still read whole",
    [Stretches, Cap, Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 60 }))],
    ([stretches, cap, later]) =>
      Effect.gen(function* () {
        const dense = stretches.map((stretch) => ({ ...stretch, perDay: PER_DAY }))
        const service = serviceOf(dense)
        const first = yield* readAll(service, [], { cap })
        expect(pointsIn(first)).toEqual(allPoints(service))
        const grown = new Map(service)
        for (let day = TODAY + 1; day <= TODAY + later; day += 1) grown.set(day, PER_DAY)
        const options = { cap, cursor: lastCursor(first), today: TODAY + later }
        const second = yield* readAll(grown, [], options)
        expect(new Set([...pointsIn(first), ...pointsIn(second)])).toEqual(allPoints(grown))
      }),
  )

  it.effect.prop(
    "what fails or is not reached of a window read in parts is a gap, or lies after the cursor",
    [
      Schema.Int.check(Schema.isBetween({ minimum: 30, maximum: 60 })),
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 60 })),
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10 })),
    ],
    ([later, back, stop]) =>
      Effect.gen(function* () {
        const today = TODAY + later
        const service = new Map(serviceOf([{ silent: 0, days: 50, perDay: PER_DAY }]))
        for (let day = TODAY + 1; day <= today; day += 1) service.set(day, PER_DAY)
        const cursor = { through: TODAY, newest: TODAY, from: TODAY - 49, complete: true }
        const requests: Array<DateWindow> = []
        const steps = yield* Stream.runCollect(
          Stream.take(
            stream(service, requests, {
              cursor,
              today,
              failWith: error("ServerError"),
              // The first response has the newest points, a few less than it could hold; the rest is then divided.
              get cap() {
                return requests.length === 1 ? LIMIT - 1 : LIMIT
              },
              get broken() {
                return new Set(requests.length === 1 ? [] : [today - back])
              },
            }),
            stop,
          ),
        )
        const through = lastCursor(steps)?.through ?? TODAY
        const read = pointsIn(steps)
        const missing = new Set(
          steps.flatMap((step) =>
            step._tag === "Failed" && step.missing !== undefined ? eachDay(step.missing) : [],
          ),
        )
        const unread = eachDay({ from: TODAY + 1, to: through }).filter(
          (day) => !missing.has(day) && !read.has(`${day}/0`),
        )
        expect(unread).toEqual([])
      }),
  )

  it.effect("a part without points of the new days is not suspicious", () =>
    Effect.gen(function* () {
      const days = [
        ...eachDay({ from: TODAY - 50, to: TODAY + 12 }),
        ...eachDay({ from: TODAY + 45, to: TODAY + 60 }),
      ]
      const service = new Map(days.map((day) => [day, PER_DAY]))
      const cursor = { through: TODAY, newest: TODAY, from: TODAY - 50, complete: true }
      const requests: Array<DateWindow> = []
      const steps = yield* readAll(service, requests, {
        cursor,
        today: TODAY + 60,
        get cap() {
          return requests.length === 1 ? LIMIT - 1 : LIMIT
        },
      })
      expect(steps.some((step) => step._tag === "Read" && step.points === 0)).toBe(true)
      expect(steps.filter((step) => step._tag === "Read" && step.suspicious)).toEqual([])
      expect(pointsIn(steps)).toEqual(allPoints(service, TODAY - 2))
    }),
  )

  it.effect.prop(
    "gap windows read every point in them, whatever the cap",
    [Stretches, Cap, Schema.Array(Gap).check(Schema.isMaxLength(4))],
    ([stretches, cap, ranges]) =>
      Effect.gen(function* () {
        const dense = stretches.map((stretch) => ({ ...stretch, perDay: PER_DAY }))
        // With a newest day, so that what is new is never suspiciously empty.
        const service = serviceOf([{ silent: 0, days: 1, perDay: PER_DAY }, ...dense])
        const gaps = ranges.map(({ ago, days }) => ({
          from: TODAY - ago - days + 1,
          to: TODAY - ago,
        }))
        const cursor = { through: TODAY, newest: TODAY, from: TODAY - 1000, complete: true }
        const steps = yield* readAll(service, [], { cap, cursor, gaps })
        const read = pointsIn(steps)
        const covered = new Set(daysIn(steps))
        for (const day of gaps.flatMap(eachDay)) {
          expect(covered.has(day)).toBe(true)
          for (const point of allPoints(service, day, day)) expect(read.has(point)).toBe(true)
        }
        expect(lastCursor(steps)).toEqual(cursor)
      }),
  )

  it.effect("gaps are read with the rest where everything is read again", () =>
    Effect.gen(function* () {
      const service = serviceOf([{ silent: 0, days: 100, perDay: 2 }])
      const gap = { from: TODAY - 70, to: TODAY - 65 }
      const requests: Array<DateWindow> = []
      const steps = yield* readAll(service, requests, { gaps: [gap] })
      expect(pointsIn(steps)).toEqual(allPoints(service))
      expect(daysIn(steps)).toEqual(expect.arrayContaining(eachDay(gap)))
      const without: Array<DateWindow> = []
      yield* readAll(service, without)
      expect(requests).toEqual(without)
    }),
  )

  it.effect("requests a gap once if it is complete or begins with missing days", () =>
    Effect.gen(function* () {
      const cursor = { through: TODAY, newest: TODAY, from: TODAY - 50, complete: true }
      const gap = { from: TODAY - 30, to: TODAY - 20 }
      for (const [service, count] of [
        [new Map(eachDay({ from: TODAY - 50, to: TODAY }).map((day) => [day, 2])), 1],
        [new Map(eachDay({ from: TODAY - 50, to: TODAY - 31 }).map((day) => [day, 2])), 1],
        [new Map(eachDay({ from: TODAY - 20, to: TODAY }).map((day) => [day, 2])), 1],
        // Before day -25 there may be nothing, or the response may have been full.
        [new Map(eachDay({ from: TODAY - 25, to: TODAY }).map((day) => [day, 2])), 2],
      ] as const) {
        const requests: Array<DateWindow> = []
        yield* readAll(service, requests, { cursor, gaps: [gap] })
        expect(requests).toHaveLength(count + 1)
      }
    }),
  )

  it.effect("an empty gap where points are known is suspicious, and covers no day", () =>
    Effect.gen(function* () {
      const cursor = { through: TODAY, newest: TODAY, from: TODAY - 50, complete: true }
      const gap = { from: TODAY - 30, to: TODAY - 20 }
      const service = new Map([[TODAY, 2]])
      for (const [known, suspicious] of [
        [TODAY - 31, false],
        [TODAY - 30, true],
        [TODAY - 25, true],
        [TODAY - 20, true],
        [TODAY - 19, false],
      ] as const) {
        const [step] = yield* readAll(service, [], {
          cursor,
          gaps: [gap],
          hasPoints: (day) => day === known,
        })
        expect(step).toMatchObject({
          _tag: "Read",
          suspicious,
          covered: suspicious ? undefined : gap,
        })
      }
    }),
  )

  it.effect("--since bounds the backfill, and lifting it reads the rest", () =>
    Effect.gen(function* () {
      const service = serviceOf([{ silent: 0, days: 200, perDay: 2 }])
      const since = TODAY - 70
      const first = yield* readAll(service, [], { since })
      expect(pointsIn(first)).toEqual(allPoints(service, since))
      const requests: Array<DateWindow> = []
      yield* readAll(service, requests, { since, cursor: lastCursor(first) })
      expect(requests).toHaveLength(1)
      const rest = yield* readAll(service, [], { cursor: lastCursor(first) })
      expect(new Set([...pointsIn(first), ...pointsIn(rest)])).toEqual(allPoints(service))
    }),
  )

  it.effect("--until leaves what came after to the next run", () =>
    Effect.gen(function* () {
      const service = serviceOf([{ silent: 0, days: 100, perDay: 2 }])
      const first = yield* readAll(service, [], { until: TODAY - 50 })
      expect(pointsIn(first)).toEqual(allPoints(service, -Infinity, TODAY - 50))
      const second = yield* readAll(service, [], { cursor: lastCursor(first) })
      expect(new Set([...pointsIn(first), ...pointsIn(second)])).toEqual(allPoints(service))
    }),
  )

  it.effect("finds a closed vault's history years back", () =>
    Effect.gen(function* () {
      const service = serviceOf([{ silent: 1500, days: 30, perDay: 24 }])
      const requests: Array<DateWindow> = []
      expect(pointsIn(yield* readAll(service, requests))).toEqual(allPoints(service))
      expect(requests.length).toBeLessThan(20)
    }),
  )

  it.effect("a service that reads no dates is found out, and nothing counts as covered by it", () =>
    Effect.gen(function* () {
      for (const perDay of [1, 2, 4, 5, 7, 23, 33]) {
        for (const cap of [LIMIT, LIMIT - 1, 7]) {
          // What is a day off may be of another time zone.
          if (cap < 3 * perDay) continue
          const service = serviceOf([{ silent: 0, days: 200, perDay }])
          const ignoring = { cap, ignores: new Set(["from", "to"] as const) }
          const requests: Array<DateWindow> = []
          const first = yield* readAll(service, requests, ignoring)
          const what = `${perDay} a day, ${cap} at once`
          expect(first.at(-1), what).toMatchObject({ ignoresDates: true, covered: undefined })
          expect(lastCursor(first)?.complete, what).not.toBe(true)
          expect(first.filter((step) => step._tag === "Read" && step.cutOff)).toEqual([])
          expect(requests.length, what).toBeLessThan(10)
          // Once it does, a run reads what is missing.
          const second = yield* readAll(service, [], { cap, cursor: lastCursor(first) })
          expect(new Set([...pointsIn(first), ...pointsIn(second)]).size, what).toBe(200 * perDay)
        }
      }
    }),
  )

  it.effect("what is new of a service that reads no dates any more moves no cursor", () =>
    Effect.gen(function* () {
      const service = serviceOf([{ silent: 0, days: 200, perDay: 5 }])
      const cursor = { through: TODAY - 60, newest: TODAY - 60, from: TODAY - 199, complete: true }
      const gaps = [{ from: TODAY - 90, to: TODAY - 80 }]
      for (const options of [{ cursor }, { cursor, gaps }]) {
        const ignoring = { ...options, ignores: new Set(["from", "to"] as const) }
        const steps = yield* readAll(service, [], ignoring)
        expect(steps).toMatchObject([{ ignoresDates: true, covered: undefined, cursor }])
      }
    }),
  )

  it.effect("older points than requested do no harm in a response that has room for all", () =>
    Effect.gen(function* () {
      const service = serviceOf([{ silent: 0, days: 200, perDay: 2 }])
      const steps = yield* readAll(service, [], { cap: 60, ignores: new Set(["from"] as const) })
      expect(pointsIn(steps)).toEqual(allPoints(service))
      expect(steps.every((step) => step._tag === "Read" && !step.ignoresDates)).toBe(true)
    }),
  )

  it.effect("a request for everything that lacks a day known to have points shows no end", () =>
    Effect.gen(function* () {
      // A hole at the first day of the second window: the request for what is before it includes its second day.
      const days = eachDay({ from: TODAY - 199, to: TODAY })
      const hole = TODAY - 2 * WINDOW + 1
      const service = new Map(days.filter((day) => day !== hole).map((day) => [day, 2]))
      const first = yield* readAll(service, [], { start: TODAY - 10 })
      expect(first.at(-1)).toMatchObject({ suspicious: true, covered: undefined })
      expect(lastCursor(first)).toMatchObject({ complete: false, from: hole + 1 })
      const second = yield* readAll(service, [], { cursor: lastCursor(first) })
      expect(new Set([...pointsIn(first), ...pointsIn(second)])).toEqual(allPoints(service))
    }),
  )

  it.effect("days that each fill a response are requested once each", () =>
    Effect.gen(function* () {
      const service = serviceOf([{ silent: 0, days: 30, perDay: LIMIT + 5 }])
      const requests: Array<DateWindow> = []
      const steps = yield* readAll(service, requests)
      expect(pointsIn(steps).size).toBe(30 * LIMIT)
      const single = requests.filter(({ from, to }) => from === to).map(({ to }) => to)
      expect(new Set(single).size).toBe(single.length)
    }),
  )

  it.effect("reports one day that holds more than a response can", () =>
    Effect.gen(function* () {
      const service = new Map([[TODAY, LIMIT + 5]])
      const steps = yield* readAll(service, [])
      expect(steps.some((step) => step._tag === "Read" && step.cutOff)).toBe(true)
    }),
  )

  it.effect("a response that lost all its points is suspicious and moves nothing", () =>
    Effect.gen(function* () {
      const cursor = { through: TODAY - 1, newest: TODAY - 1, from: TODAY - 50, complete: true }
      const [step] = yield* readAll(new Map(), [], { cursor })
      expect(step).toMatchObject({ _tag: "Read", suspicious: true, cursor })
    }),
  )

  it.effect(
    "a series without a point in the days read last is not suspicious after a failure",
    () =>
      Effect.gen(function* () {
        const failWith = error("ServerError")
        const ended = serviceOf([{ silent: 30, days: 10, perDay: 2 }])
        for (const service of [ended, new Map<number, number>()]) {
          const whole = yield* readAll(service, [])
          const failed = yield* readAll(new Map([[TODAY + 1, 1]]), [], {
            cursor: lastCursor(whole),
            broken: new Set([TODAY + 1]),
            failWith,
            today: TODAY + 1,
          })
          const gaps = failed.flatMap((step) => (step._tag === "Failed" ? [step.window] : []))
          expect(gaps).toHaveLength(1)
          const first = { cursor: lastCursor(failed), gaps, today: TODAY + 2 }
          const again = yield* readAll(service, [], first)
          expect(pointsIn(again)).toEqual(allPoints(service, gaps[0]?.from))
          const last = { cursor: lastCursor([...failed, ...again]), today: TODAY + 3 }
          const steps = [...again, ...(yield* readAll(service, [], last))]
          expect(steps.filter((step) => step._tag === "Read" && step.suspicious)).toEqual([])
        }
      }),
  )

  it.effect("two windows in a row without a response end the backfill; so does one refusal", () =>
    Effect.gen(function* () {
      const service = serviceOf([{ silent: 0, days: 200, perDay: 2 }])
      const broken = new Set(service.keys())
      const requests: Array<DateWindow> = []
      const failWith = error("ServerError")
      expect(yield* Effect.flip(readAll(service, requests, { broken, failWith }))).toBe(failWith)
      expect(requests).toHaveLength(2)
      const refused: Array<DateWindow> = []
      yield* Effect.flip(readAll(service, refused, { broken, failWith: error("Forbidden") }))
      expect(refused).toHaveLength(1)
    }),
  )

  it.effect(
    "gaps that keep failing keep back no new days, which end the reading if they fail",
    () =>
      Effect.gen(function* () {
        const service = serviceOf([{ silent: 0, days: 100, perDay: 2 }]).set(TODAY + 1, 2)
        const options = {
          cursor: { through: TODAY, newest: TODAY, from: TODAY - 99, complete: true },
          gaps: [90, 70, 50].map((ago) => ({ from: TODAY - ago, to: TODAY - ago + 5 })),
          failWith: error("ServerError"),
          today: TODAY + 1,
        }
        const old = eachDay({ from: TODAY - 90, to: TODAY - 40 })
        const requests: Array<DateWindow> = []
        const steps = yield* readAll(service, requests, { ...options, broken: new Set(old) })
        expect(pointsIn(steps)).toEqual(allPoints(service, TODAY - 2))
        expect(lastCursor(steps)).toMatchObject({ through: TODAY + 1, from: TODAY - 99 })
        // The third would most likely fail, too.
        expect(requests).toHaveLength(3)
        expect(steps.filter(({ _tag }) => _tag === "Failed")).toMatchObject(
          options.gaps.slice(0, 2).map((gap) => ({ window: gap, missing: gap })),
        )
        const broken = new Set(service.keys())
        expect(yield* Effect.flip(readAll(service, [], { ...options, broken }))).toBe(
          options.failWith,
        )
      }),
  )

  it.effect("requests a gap within the new days once, and closes it", () =>
    Effect.gen(function* () {
      const service = new Map([...Array(10).keys()].map((ago) => [TODAY - ago, 2]))
      const cursor = { through: TODAY, newest: TODAY, from: TODAY - 9, complete: true }
      for (const gap of [
        { from: TODAY - 2, to: TODAY },
        { from: TODAY - 1, to: TODAY - 1 },
        { from: TODAY - 6, to: TODAY },
      ]) {
        const requests: Array<DateWindow> = []
        const steps = yield* readAll(service, requests, { cursor, gaps: [gap] })
        expect(requests).toHaveLength(1)
        expect(daysIn(steps)).toEqual(expect.arrayContaining(eachDay(gap)))
        expect(lastCursor(steps)).toEqual(cursor)
      }
      // Reaching what is known does not make up for the gap before it.
      const within = { cap: 3, cursor, gaps: [{ from: TODAY - 2, to: TODAY - 2 }] }
      expect(pointsIn(yield* readAll(service, [], within))).toEqual(allPoints(service, TODAY - 2))
      // A gap that begins earlier is requested itself, the new days from its end only.
      const requests: Array<DateWindow> = []
      yield* readAll(service, requests, { cursor, gaps: [{ from: TODAY - 6, to: TODAY - 1 }] })
      expect(requests).toEqual([
        expect.objectContaining({ from: TODAY - 6, to: TODAY - 1 }),
        expect.objectContaining({ from: TODAY, to: TODAY }),
      ])
    }),
  )
})

const broken = (options: Pick<DateWindows<unknown, never, never>, "cursor" | "windowDays">) =>
  Effect.map(
    Effect.exit(
      Stream.runCollect(
        // A series that is read for ever is cut off.
        Stream.take(
          dateWindows({
            ...options,
            gaps: [],
            today: TODAY,
            overlapDays: 2,
            since: undefined,
            until: undefined,
            read: () =>
              Effect.succeed({
                content: [],
                points: 1,
                oldest: TODAY,
                newest: TODAY,
                hasOnlyEmptyDays: false,
                isEmpty: false,
                startsLate: false,
                full: false,
              }),
          }),
          100,
        ),
      ),
    ),
    (exit) => JSON.stringify(exit),
  )

it.effect("a cursor that would not cover what it covered is not passed on", () =>
  Effect.gen(function* () {
    // No day is before this one, so that no later cursor can cover it.
    const cursor = { through: TODAY, newest: TODAY, from: Number.NaN, complete: false }
    const exit = yield* broken({ cursor, windowDays: WINDOW })
    expect(exit).toContain("a cursor covers every day that it covered before")
  }),
)

it.effect("a window that would be followed by itself is not requested again", () =>
  Effect.gen(function* () {
    // No window reaches back.
    const cursor = { through: TODAY, newest: TODAY, from: TODAY, complete: false }
    const exit = yield* broken({ cursor, windowDays: 0 })
    expect(exit).toContain("the next window of a series is another one")
  }),
)
