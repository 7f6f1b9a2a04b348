// Finds records that repeat another one of their key in all fields, among as many as a response has.
import { type JsonObject, stableStringify } from "../domain/values/json.ts"

/** Tells of each record whether one before it under its key is equal to it. */
export const repetitionsByKey = (): ((key: string, record: JsonObject) => boolean) => {
  const firstOf = new Map<string, JsonObject>()
  const textsOf = new Map<string, Set<string>>()
  return (key, record) => {
    const first = firstOf.get(key)
    if (first === undefined) {
      firstOf.set(key, record)
      return false
    }
    // Nearly every key has only one record, whose text is then not needed.
    const texts = textsOf.get(key) ?? new Set([stableStringify(first)])
    textsOf.set(key, texts)
    const { size } = texts
    return texts.add(stableStringify(record)).size === size
  }
}
