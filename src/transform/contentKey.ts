// Makes a key for a record whose key the document does not name: its id if it has one, else a hash of its content.
import { createHash } from "node:crypto"
import { significantDigits } from "../domain/values/decimal.ts"
import {
  asDigits,
  isJsonObject,
  isRawNumber,
  type JsonObject,
  stableStringify,
} from "../domain/values/json.ts"
import { withoutReportTimes } from "./fields/reportTimes.ts"
import { valueAt } from "./fields/wireNames.ts"

/** The first id in the fields, as text; an id is text or an integer. */
const idOf = (record: JsonObject, fields: ReadonlyArray<string>): string | undefined => {
  for (const field of fields) {
    const value = valueAt(record, field)
    if (typeof value === "string" && value !== "") return value
    const digits = asDigits(value)
    if (digits !== undefined) return digits
  }
  return undefined
}

/**
 * The record with the doubles that its numbers of 16 and 17 digits were before these kept every digit: what has such a number must
 * not become another thing.
 */
const withDoubles = (value: unknown): unknown => {
  if (isRawNumber(value)) {
    const number = Number(value.rawJSON)
    const wasDouble =
      /[.eE]/.test(value.rawJSON) &&
      significantDigits(value.rawJSON) <= 17 &&
      Number.isFinite(number)
    return wasDouble ? number : value
  }
  if (Array.isArray(value)) return value.map(withDoubles)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withDoubles(each)]))
}

/** The hash of a record's content, without the times at which the service read or computed it. */
const hashOf = (record: JsonObject, reportTimes: ReadonlySet<string> | undefined): string =>
  createHash("sha256")
    .update(stableStringify(withDoubles(withoutReportTimes(record, reportTimes))))
    .digest("hex")

/**
 * A unique key for each record of a list: the first of `idFields` that it has, else the SHA-256 of its content,
 * independent of the order of its fields and of `reportTimes`. Repetitions get the suffix `#2` and so on. The same list always has the same
 * keys. With `groupOf`, keys are unique only within a group.
 */
export const contentKeys = (
  records: ReadonlyArray<JsonObject>,
  idFields: ReadonlyArray<string> = ["id"],
  reportTimes?: ReadonlySet<string>,
  groupOf: (row: number) => unknown = () => "",
): ReadonlyArray<string> => {
  const taken = new Set<string>()
  const occurrences = new Map<string, number>()
  return records.map((record, row) => {
    const own = idOf(record, idFields) ?? hashOf(record, reportTimes)
    const inGroup = (key: string) => `${String(groupOf(row))} ${key}`
    let occurrence = occurrences.get(inGroup(own)) ?? 0
    let key: string
    do {
      occurrence += 1
      key = occurrence === 1 ? own : `${own}#${occurrence}`
      // An id may look like the repetition of another one.
    } while (taken.has(inGroup(key)))
    occurrences.set(inGroup(own), occurrence)
    taken.add(inGroup(key))
    return key
  })
}
