// Finds the time field of a series' points once per response, because §2.8 and §2.9 do not show it.
import * as Result from "effect/Result"
import type { JsonObject } from "../../domain/values/json.ts"
import type { Table } from "../../domain/table/table.ts"
import { dayOf, parseInstant } from "../../domain/values/time.ts"
import type { Violation } from "../../domain/wire/violation.ts"
import type { Source } from "../Source.ts"
import { namesOf } from "./wireNames.ts"

/**
 * The wire name of the table's time column, for `mapRecords`: the first candidate that contains a time, unless the days that were
 * requested show that only another is the time of the points. Fails if no record has one, with the names of its fields and
 * the setting to change.
 */
export const timeFieldOf = (
  table: Table,
  records: ReadonlyArray<JsonObject>,
  source: Pick<Source<unknown>, "timeFields" | "fields" | "inputs">,
): Result.Result<Readonly<Record<string, ReadonlyArray<string>>>, Violation> => {
  const { time = "" } = table
  const candidates = [...namesOf(table, time, source), ...source.timeFields]
  for (const record of records) {
    const found = candidates.filter((name) => parseInstant(record[name]) !== undefined)
    const [first] = found
    if (first === undefined) continue
    const field =
      found.length === 1 ? first : found.find((name) => isAsRequested(records, name, source.inputs))
    return Result.succeed({ [time]: [field ?? first] })
  }
  const [first] = records
  if (first === undefined) return Result.succeed({})
  return Result.fail({
    path: "$[0]",
    detail: `has no time under a known name; its fields are ${Object.keys(first).join(", ")}. Name the right one in the setting timeFields`,
  })
}

/**
 * Whether the times are of the days requested, and not one for all points, as the time of their insertion may be. Where no days
 * are requested, any is.
 */
const isAsRequested = (
  records: ReadonlyArray<JsonObject>,
  name: string,
  { startDate, endDate }: Source<unknown>["inputs"],
): boolean => {
  if (typeof startDate !== "number" && typeof endDate !== "number") return true
  // In any time zone.
  const from = typeof startDate === "number" ? startDate - 1 : -Infinity
  const to = typeof endDate === "number" ? endDate + 1 : Infinity
  const times = records.flatMap((record) => parseInstant(record[name]) ?? [])
  const isOne = times.length > 1 && times.every((time) => time === times[0])
  return !isOne && times.map(dayOf).every((day) => day >= from && day <= to)
}
