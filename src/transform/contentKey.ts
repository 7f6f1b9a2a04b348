// The key of a record for which the document names none: its id if it has one, else a hash of its content.
import { createHash } from "node:crypto"
import { asDigits, type JsonObject, stableStringify } from "../domain/json.ts"
import { withoutReportTimes } from "./fields/reportTimes.ts"

/** An id is text or an integer. */
const idOf = (record: JsonObject, fields: ReadonlyArray<string>): string | undefined => {
  for (const field of fields) {
    const value = record[field]
    if (typeof value === "string" && value !== "") return value
    const digits = asDigits(value)
    if (digits !== undefined) return digits
  }
  return undefined
}

/** The time at which the service read a record is not part of its content. */
const hashOf = (record: JsonObject): string =>
  createHash("sha256")
    .update(stableStringify(withoutReportTimes(record)))
    .digest("hex")

/**
 * A unique key for each record of a list: the first of `idFields` it has, else the SHA-256 of its content, whatever the
 * order of its fields. Repetitions get `#2` and so on. The same list always gives the same keys.
 */
export const contentKeys = (
  records: ReadonlyArray<JsonObject>,
  idFields: ReadonlyArray<string> = ["id"],
): ReadonlyArray<string> => {
  const taken = new Set<string>()
  const occurrences = new Map<string, number>()
  return records.map((record) => {
    const own = idOf(record, idFields) ?? hashOf(record)
    let occurrence = occurrences.get(own) ?? 0
    let key: string
    do {
      occurrence += 1
      key = occurrence === 1 ? own : `${own}#${occurrence}`
      // An id may look like another's repetition.
    } while (taken.has(key))
    occurrences.set(own, occurrence)
    taken.add(key)
    return key
  })
}
