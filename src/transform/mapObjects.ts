// Makes rows of vaulthouse's own records, such as its bookkeeping.
import type { Value } from "../domain/column.ts"
import type { Rows, Table } from "../domain/table.ts"

/** A column that an object does not have is null. */
export const mapObjects = (
  table: Table,
  objects: ReadonlyArray<Readonly<Record<string, Value>>>,
): Rows => ({
  table,
  columns: table.columns.map(({ name }) => objects.map((object) => object[name] ?? null)),
  length: objects.length,
  lineage: null,
})
