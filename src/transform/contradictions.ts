// Finds records of a response that have one key and different content: only one of them could be stored, and nothing says which.
import type { Value } from "../domain/table/column.ts"
import type { JsonObject } from "../domain/values/json.ts"
import type { Table } from "../domain/table/table.ts"
import type { RejectedRecord } from "../domain/wire/violation.ts"

/**
 * By row, the records of a current state that contradict one before them, as rejected; `isRejected` are rows that are
 * rejected anyway. The points of a history may be revised in the response that has them.
 */
export const contradictions = (
  table: Table,
  columns: ReadonlyArray<ReadonlyArray<Value>>,
  records: ReadonlyArray<JsonObject>,
  isRejected: (row: number) => boolean,
  at: (row: number) => string,
): ReadonlyMap<number, RejectedRecord> => {
  const found = new Map<number, RejectedRecord>()
  if (table.mode !== "slowly_changing" || records.length < 2) return found
  const named = table.columns.map((column, index) => ({ column, values: columns[index] ?? [] }))
  const key = named.filter(({ column }) => table.key.includes(column.name))
  // An address may be spelled in two ways. Fields that no column takes, such as a chain that is not in the key, make no other fact.
  const identity = new Set(table.key.flatMap((name) => [name, `${name}_wire`]))
  const content = named.filter(
    ({ column }) =>
      !identity.has(column.name) && column.isIncidental !== true && column.name !== "extra",
  )
  const firstOf = new Map<string, number>()
  for (const [row, record] of records.entries()) {
    if (isRejected(row)) continue
    const own = key.map(({ values }) => String(values[row])).join("\n")
    const first = firstOf.get(own)
    if (first === undefined) {
      firstOf.set(own, row)
      continue
    }
    const differing = content.filter(({ values }) => values[row] !== values[first])
    if (differing.length === 0) continue
    const names = differing.map(({ column }) => column.name).join(", ")
    found.set(row, {
      path: at(row),
      detail: `is of the same ${table.key.join(" and ")} as ${at(first)}, and differs from it in ${names}`,
      record,
      isRepeated: true,
    })
  }
  return found
}
