// Finds a list of records within a record, where the document says that there is one but not its name.
import { isJsonObject, type JsonObject } from "../../domain/json.ts"

/** The records in the first of `names` that has some, else in the only other field that has. */
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

/** A list of records, at least one. */
export const recordsIn = (value: unknown): ReadonlyArray<JsonObject> | undefined =>
  Array.isArray(value) && value.length > 0 && value.every(isJsonObject) ? value : undefined
