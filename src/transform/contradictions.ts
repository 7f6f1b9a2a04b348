// Finds records of a response that have one key and different content: only one of them can be stored, and nothing says which.
import type { Value } from "../domain/table/column.ts"
import type { JsonObject } from "../domain/values/json.ts"
import type { Table } from "../domain/table/table.ts"
import type { Drift, RejectedRecord } from "../domain/wire/violation.ts"

/** Records as they became rows; `isRejected` are rows that are rejected anyway, `at` is where a record is. */
interface Mapped {
  readonly table: Table
  readonly columns: ReadonlyArray<ReadonlyArray<Value>>
  readonly records: ReadonlyArray<JsonObject>
  readonly isRejected: (row: number) => boolean
  readonly at: (row: number) => string
}

interface Pair {
  /** The first row of the key. */
  readonly first: number
  readonly row: number
  /** The columns in which they differ. */
  readonly differing: ReadonlyArray<string>
}

const pairsIn = ({ table, columns, records, isRejected }: Mapped): ReadonlyArray<Pair> => {
  const named = table.columns.map((column, index) => ({ column, values: columns[index] ?? [] }))
  const key = named.filter(({ column }) => table.key.includes(column.name))
  // An address may be spelled in two ways. Fields that no column takes, such as a chain that is not in the key, make no other fact.
  const content = named.filter(
    ({ column }) =>
      !table.key.includes(column.name) &&
      !column.name.endsWith("_wire") &&
      column.isIncidental !== true &&
      column.name !== "extra",
  )
  const firstOf = new Map<string, number>()
  const found: Array<Pair> = []
  for (const row of records.keys()) {
    if (isRejected(row)) continue
    const own = key.map(({ values }) => String(values[row])).join("\n")
    const first = firstOf.get(own)
    if (first === undefined) {
      firstOf.set(own, row)
      continue
    }
    const differing = content.filter(({ values }) => values[row] !== values[first])
    if (differing.length === 0) continue
    found.push({ first, row, differing: differing.map(({ column }) => column.name) })
  }
  return found
}

/** By row, the records of a current state that contradict one before them, as rejected. */
export const contradictions = (mapped: Mapped): ReadonlyMap<number, RejectedRecord> => {
  const { table, records, at } = mapped
  if (table.mode !== "slowly_changing" || records.length < 2) return new Map()
  return new Map(
    pairsIn(mapped).map(({ first, row, differing }) => [
      row,
      {
        path: at(row),
        detail: `is of the same ${table.key.join(" and ")} as ${at(first)}, and differs from it in ${differing.join(", ")}`,
        record: records[row],
        isRepeated: true,
      },
    ]),
  )
}

/**
 * What is reported where points of a history have one key and differ: the last of them is stored, as it may be a revision of the
 * others.
 */
export const replacedPoints = (mapped: Mapped): ReadonlyArray<Drift> => {
  const { table, columns, records, at } = mapped
  const { time = "" } = table
  if (table.mode !== "history" || !table.key.includes(time)) return []
  const times = columns[table.columns.findIndex(({ name }) => name === time)] ?? []
  if (new Set(times).size === records.length) return []
  const pairs = pairsIn(mapped)
  const [pair] = pairs
  if (pair === undefined) return []
  const { first, row, differing } = pair
  // Of each series once.
  const series = table.columns.flatMap(({ name }, index) =>
    table.key.includes(name) && name !== time ? [String(columns[index]?.[row])] : [],
  )
  return [
    {
      path: `$ (${series.join(", ")})`,
      kind: "repeated_key",
      detail: `records that have the ${table.key.join(" and ")} of another: ${pairs.length} of ${records.length}; ${at(row)} differs from ${at(first)} in ${differing.join(", ")}, and the last is stored`,
    },
  ]
}
