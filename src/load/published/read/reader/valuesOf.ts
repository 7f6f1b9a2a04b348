// Reads values from DuckDB's vectors. What @duckdb/node-api makes of a struct is an object, which holds one of the fields that
// have no name, and none with the name __proto__.
import {
  DuckDBArrayVector,
  DuckDBListVector,
  DuckDBMapVector,
  DuckDBStructVector,
  DuckDBUnionVector,
  type DuckDBVector,
  type Json,
} from "@duckdb/node-api"
import { convert } from "../../../duckdb/readRows.ts"
import { innerOf } from "./resultBytes.ts"

type ValueAt = (at: number) => Json

/** Reads the values of a vector as JSON, by their places. A struct without names is a list. */
export const valuesOf = (vector: DuckDBVector): ValueAt => {
  if (vector instanceof DuckDBMapVector) return valuesOf(innerOf(vector).listVector)
  if (vector instanceof DuckDBUnionVector) return membersOf(vector)
  if (vector instanceof DuckDBStructVector) return structsOf(vector)
  if (vector instanceof DuckDBListVector) {
    return listsOf(
      vector,
      vector.childVector,
      (at) => vector.getEntryOffset(at),
      (at) => vector.getEntryLength(at),
    )
  }
  if (vector instanceof DuckDBArrayVector) {
    const { length } = vector.type
    return listsOf(
      vector,
      innerOf(vector).childData,
      (at) => at * length,
      () => length,
    )
  }
  const { type } = vector
  return (at) => convert(vector.getItem(at), type, convert)
}

const listsOf = (
  vector: DuckDBVector,
  items: DuckDBVector,
  startOf: (at: number) => number,
  lengthOf: (at: number) => number,
): ValueAt => {
  const { validity } = innerOf(vector)
  const itemAt = valuesOf(items)
  return (at) => {
    if (!validity.itemValid(at)) return null
    const list: Array<Json> = []
    const start = startOf(at)
    const end = start + lengthOf(at)
    for (let item = start; item < end; item++) list.push(itemAt(item))
    return list
  }
}

const structsOf = (vector: DuckDBStructVector): ValueAt => {
  const { entryNames } = vector.type
  const fields = entryNames.map((name, at) => ({
    name,
    valueAt: valuesOf(vector.entryVectorAt(at)),
  }))
  // DuckDB decides by the first field too.
  const isNamed = entryNames[0] !== ""
  return (at) => {
    if (!vector.isItemValid(at)) return null
    return isNamed
      ? Object.fromEntries(fields.map(({ name, valueAt }) => [name, valueAt(at)]))
      : fields.map(({ valueAt }) => valueAt(at))
  }
}

const membersOf = (vector: DuckDBUnionVector): ValueAt => {
  const { structVector } = innerOf(vector)
  const { memberTags } = vector.type
  // What is stored first is which member it is.
  const members = memberTags.map((_, at) => valuesOf(structVector.entryVectorAt(at + 1)))
  return (at) => {
    const member = structVector.getItemValue(at, 0)
    if (typeof member !== "number") return null
    return { tag: memberTags[member] ?? null, value: members[member]?.(at) ?? null }
  }
}
