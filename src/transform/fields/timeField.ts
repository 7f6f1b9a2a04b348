// Finds the time field of a series' points once per response, because §2.8 and §2.9 do not show it.
import * as Result from "effect/Result"
import type { JsonObject } from "../../domain/values/json.ts"
import type { Table } from "../../domain/table/table.ts"
import { parseInstant } from "../../domain/values/time.ts"
import type { Violation } from "../../domain/wire/violation.ts"
import type { Source } from "../Source.ts"
import { namesOf } from "./wireNames.ts"

/**
 * The wire name of the table's time column, for `mapRecords`: the first candidate that contains a time. Fails if no
 * record has one, with the names of its fields and the setting to change.
 */
export const timeFieldOf = (
  table: Table,
  records: ReadonlyArray<JsonObject>,
  source: Pick<Source<unknown>, "timeFields" | "fields">,
): Result.Result<Readonly<Record<string, ReadonlyArray<string>>>, Violation> => {
  const { time = "" } = table
  const candidates = [...namesOf(table, time, source), ...source.timeFields]
  for (const record of records) {
    const field = candidates.find((name) => parseInstant(record[name]) !== undefined)
    if (field !== undefined) return Result.succeed({ [time]: [field] })
  }
  const [first] = records
  if (first === undefined) return Result.succeed({})
  return Result.fail({
    path: "$[0]",
    detail: `has no time under a known name; its fields are ${Object.keys(first).join(", ")}. Name the right one in the setting timeFields`,
  })
}
