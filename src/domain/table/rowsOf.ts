// Rows of vaulthouse's own tables from plain records.
import type { Value } from "./column.ts"
import type { Rows, Table } from "./table.ts"

/** Rows of `table` from records that hold a value (or nothing, for null) for each column. */
export const rowsOf = (
  table: Table,
  records: ReadonlyArray<Readonly<Record<string, Value | undefined>>>,
): Rows => ({
  table,
  columns: table.columns.map(({ name }) => records.map((record) => record[name] ?? null)),
  length: records.length,
  lineage: null,
})
