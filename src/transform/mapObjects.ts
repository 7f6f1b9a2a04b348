// Rows of the tables in which vaulthouse keeps its own records.
import type { Value } from "../domain/column.ts"
import type { Rows, Table } from "../domain/table.ts"

/** Columns that an object lacks are null. */
export const mapObjects = (
  table: Table,
  objects: ReadonlyArray<Readonly<Record<string, Value>>>,
): Rows => ({
  table,
  columns: table.columns.map(({ name }) => objects.map((object) => object[name] ?? null)),
  length: objects.length,
  lineage: null,
})
