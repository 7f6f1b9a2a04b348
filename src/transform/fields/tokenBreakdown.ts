// The tokens of a breakdown: a list of records, or a map from token to record.
import { isJsonObject, type JsonObject } from "../../domain/json.ts"
import { recordsIn } from "./nestedRecords.ts"

/** A map's keys become the field `token` of its records. */
export const tokensIn = (value: unknown): ReadonlyArray<JsonObject> | undefined => {
  if (Array.isArray(value)) return recordsIn(value)
  if (!isJsonObject(value)) return undefined
  const entries = Object.entries(value)
  if (entries.length === 0) return undefined
  const records: Array<JsonObject> = []
  for (const [token, record] of entries) {
    if (!isJsonObject(record)) return undefined
    records.push({ token, ...record })
  }
  return records
}
