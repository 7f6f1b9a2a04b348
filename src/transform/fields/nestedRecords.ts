// Finds a list of records within a record, if the document mentions the list without naming it.
import { isJsonObject, type JsonObject } from "../../domain/json.ts"

/** The records in the first field of `names` that has any, or else in the only other field that has. */
export const listIn = (
  record: JsonObject,
  names: ReadonlyArray<string>,
  read: (value: unknown) => ReadonlyArray<JsonObject> | undefined,
): { readonly field: string; readonly records: ReadonlyArray<JsonObject> } | undefined => {
  const at = (field: string) => {
    const records = read(record[field])
    return records === undefined ? [] : [{ field, records }]
  }
  const named = names.flatMap(at)[0]
  if (named !== undefined) return named
  const others = Object.keys(record).flatMap(at)
  return others.length === 1 ? others[0] : undefined
}

/** The value if it is a list of at least one record. */
export const recordsIn = (value: unknown): ReadonlyArray<JsonObject> | undefined =>
  Array.isArray(value) && value.length > 0 && value.every(isJsonObject) ? value : undefined
