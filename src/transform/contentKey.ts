// What identifies a record of which the document names no key: its id if it has one, else its content.
import { createHash } from "node:crypto"
import { asDigits, type JsonObject, stableStringify } from "../domain/json.ts"
import { withoutReportTimes } from "./fields/reportTimes.ts"

/** A text or an integer as text; nothing else identifies. */
const idOf = (record: JsonObject, fields: ReadonlyArray<string>): string | undefined => {
  for (const field of fields) {
    const value = record[field]
    if (typeof value === "string" && value !== "") return value
    const digits = asDigits(value)
    if (digits !== undefined) return digits
  }
  return undefined
}

/** When a record was looked up makes it no other one. */
const hashOf = (record: JsonObject): string =>
  createHash("sha256")
    .update(stableStringify(withoutReportTimes(record)))
    .digest("hex")

/**
 * One key a record, unlike all others of the list: the first of `idFields` it holds, else the SHA-256 of its
 * content (whatever the order of its fields). A repeated one has its occurrence appended, `#2` and so on, so
 * that no record hides another. The same list gives the same keys.
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
      // An id may itself look like an occurrence of another.
    } while (taken.has(key))
    occurrences.set(own, occurrence)
    taken.add(key)
    return key
  })
}
