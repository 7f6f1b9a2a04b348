// Finds the time field of a series' points once per response, because §2.8 and §2.9 do not show it, and the time fields of
// events (§2.5).
import * as Result from "effect/Result"
import { type JsonObject, stableStringify } from "../../domain/values/json.ts"
import type { Table } from "../../domain/table/table.ts"
import {
  dayOf,
  MICROS_PER_DAY,
  MICROS_PER_HOUR,
  parseInstant,
  parseIsoDay,
} from "../../domain/values/time.ts"
import type { Violation } from "../../domain/wire/violation.ts"
import type { Source } from "../Source.ts"
import { columnViolation, firstSeen } from "./columnViolation.ts"
import { namesOf, valueAt } from "./wireNames.ts"

/**
 * The wire names of the table's time column, for `mapRecords`. Of a series it is one, so that its points are not of different
 * times: the first candidate that is a time in half of the records, unless it can't be the time of the points and another can.
 * Fails if the points would replace one another. Where points are hourly, a day is not the time of one if another candidate has an
 * instant of that day: of a young series, there may be only one point.
 * Each event has the first of the declared names that it has, since those of several chains may differ; other names count where
 * no record has a declared one, not even null, as that of an event that is not final yet is. Fails if no record has any, with
 * the names of its fields and the setting to change.
 */
export const timeFieldOf = (
  table: Table,
  records: ReadonlyArray<JsonObject>,
  source: Pick<Source<unknown>, "timeFields" | "fields" | "inputs">,
  { areHourly = false } = {},
): Result.Result<Readonly<Record<string, ReadonlyArray<string>>>, Violation> => {
  const { time = "" } = table
  const declared = namesOf(table, time, source)
  const hasDeclared = (record: JsonObject) =>
    declared.some((name) => valueAt(record, name) !== undefined)
  if (!isSeries(table) && records.some(hasDeclared)) return Result.succeed({ [time]: declared })
  const found = [...declared, ...source.timeFields].flatMap((name) => {
    const times = timesUnder(name, records)
    return times.length === 0 ? [] : [{ name, times }]
  })
  // A record that is not final yet may lack its time, and have only that of its insertion.
  const common = found.filter(({ times }) => times.length * 2 >= records.length)
  const likely = common.length === 0 ? found : common
  const candidates = areHourly ? withoutDays(likely, records) : likely
  const distinct = isSeries(table)
    ? candidates.filter(({ name }) => areDistinct(name, records))
    : candidates
  const fitting = distinct.find(({ times }) => areAsRequested(times, source.inputs))
  const field = fitting ?? distinct[0] ?? candidates[0]
  if (field !== undefined) {
    const collision = isSeries(table) ? collisionOf(field.name, records) : undefined
    if (collision !== undefined) return Result.fail(collision)
    return Result.succeed({ [time]: [field.name] })
  }
  const [first] = records
  if (first === undefined) return Result.succeed({})
  const unreadable = unreadableIn(table, records, [...declared, ...source.timeFields])
  if (unreadable !== undefined) return Result.fail(unreadable)
  return Result.fail({
    path: "$[0]",
    detail: `has no time under a known name; its fields are ${Object.keys(first).join(", ")}. Name the right one in the setting timeFields`,
  })
}

/** What is wrong with the first value under a known name, where none is a time. */
const unreadableIn = (
  table: Table,
  records: ReadonlyArray<JsonObject>,
  names: ReadonlyArray<string>,
): Violation | undefined => {
  const column = table.columns.find(({ name }) => name === table.time)
  for (const [index, record] of records.entries()) {
    const seen = firstSeen(record, names)
    if (column === undefined || seen === undefined || seen.value === null) continue
    const { path, detail } = columnViolation(table, column, names, record, `$[${index}]`, seen)
    const advice = "If it is in another field, name that in the setting timeFields"
    return { path, detail: `${detail}. ${advice}` }
  }
  return undefined
}

interface Candidate {
  readonly name: string
  readonly times: ReadonlyArray<number>
}

const isOfDay = (instant: number | undefined, day: number | undefined): boolean =>
  instant === undefined ||
  day === undefined ||
  // A point of the last hour may be recorded in the next.
  (instant >= day && instant < day + MICROS_PER_DAY + MICROS_PER_HOUR)

const isDay = (value: unknown): boolean => parseIsoDay(value) !== undefined

/** Without the names under which there are only days, if another has instants of those. */
const withoutDays = (
  candidates: ReadonlyArray<Candidate>,
  records: ReadonlyArray<JsonObject>,
): ReadonlyArray<Candidate> => {
  const areOfDays = (instants: string, days: string): boolean =>
    records.every((record) =>
      isOfDay(parseInstant(valueAt(record, instants)), parseInstant(valueAt(record, days))),
    )
  const areDays = (name: string): boolean => records.every((record) => isDay(valueAt(record, name)))
  const instants = candidates.filter(({ name }) => !areDays(name))
  return candidates.filter(
    (one) => instants.includes(one) || !instants.some(({ name }) => areOfDays(name, one.name)),
  )
}

/** Whether times are of the days requested, in any time zone; where no days are requested, any are. */
const areAsRequested = (
  times: ReadonlyArray<number>,
  { startDate, endDate }: Source<unknown>["inputs"],
): boolean => {
  const from = typeof startDate === "number" ? startDate - 1 : -Infinity
  const to = typeof endDate === "number" ? endDate + 1 : Infinity
  return times.map(dayOf).every((day) => day >= from && day <= to)
}

/** Whether nothing but their time tells the records of a subject apart. */
const isSeries = ({ key, time }: Table): boolean => key.at(-1) === time

const timesUnder = (name: string, records: ReadonlyArray<JsonObject>): ReadonlyArray<number> =>
  records.flatMap((record) => parseInstant(valueAt(record, name)) ?? [])

/** How many points have a time under a name, those that are equal in all fields counted once, and how many times these are. */
const counted = (name: string, records: ReadonlyArray<JsonObject>) => {
  const times = timesUnder(name, records)
  const distinct = new Set(times).size
  if (distinct * 2 > times.length) return { points: times.length, distinct }
  const different = new Map(records.map((record) => [stableStringify(record), record]))
  return { points: timesUnder(name, [...different.values()]).length, distinct }
}

/** Whether most points have a time of their own, unlike those that were inserted together. */
const areDistinct = (name: string, records: ReadonlyArray<JsonObject>): boolean => {
  const { points, distinct } = counted(name, records)
  return distinct * 2 > points
}

/** What is wrong if most points would replace another one. */
const collisionOf = (name: string, records: ReadonlyArray<JsonObject>): Violation | undefined => {
  const { points, distinct } = counted(name, records)
  if (distinct * 2 >= points) return undefined
  const times = distinct === 1 ? "the same" : `one of only ${distinct} times`
  return {
    path: `$[0].${name}`,
    detail: `is ${times} in ${points} points; name the field that tells them apart in the setting timeFields`,
  }
}
