// Which field of a series' points is their time: found once per response (§2.8, §2.9 withhold it).
import * as Result from "effect/Result"
import type { JsonObject } from "../../domain/json.ts"
import { parseInstant } from "../../domain/time.ts"
import type { Violation } from "../../domain/violation.ts"

export interface Times {
  readonly field: string
  /** Microseconds since 1970 UTC, one a record. */
  readonly micros: ReadonlyArray<number>
}

/**
 * The time of every record, by the first of `candidates` that the first record holds as a time.
 * Fails when there is none, naming the fields seen and the setting to change, and when a record's
 * time can't be read.
 */
export const resolveTimes = (
  records: ReadonlyArray<JsonObject>,
  candidates: ReadonlyArray<string>,
): Result.Result<Times, Violation> => {
  const [first] = records
  if (first === undefined) return Result.succeed({ field: "", micros: [] })
  const field = candidates.find((name) => parseInstant(first[name]) !== undefined)
  if (field === undefined) {
    return Result.fail({
      path: "$[0]",
      detail: `holds no time under a known name; its fields are ${Object.keys(first).join(", ")}. Name the right one in the setting timeFields`,
    })
  }
  const micros: Array<number> = []
  for (const [index, record] of records.entries()) {
    const instant = parseInstant(record[field])
    if (instant === undefined) {
      return Result.fail({
        path: `$[${index}].${field}`,
        detail: `is not an instant: ${JSON.stringify(record[field]) ?? "missing"}`,
      })
    }
    micros.push(instant)
  }
  return Result.succeed({ field, micros })
}
