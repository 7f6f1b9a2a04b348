// The names a column is filled from, for mappings that read the same fields themselves.
import type { Table } from "../../domain/table.ts"

/** In the order they are looked for. Throws for a column without any: the mapping is then mistaken. */
export const fieldsOf = (table: Table, column: string): ReadonlyArray<string> => {
  const fields = table.columns.find(({ name }) => name === column)?.fields
  if (fields === undefined) throw new Error(`${table.name}.${column} is filled from no field`)
  return fields
}
