// Rows from objects of our own making, for the tables in which vaulthouse keeps its own records.
import type { Rows, Table, Value } from "../domain/table.ts"

/** Columns an object does not name are null. */
export const mapObjects = (
  table: Table,
  objects: ReadonlyArray<Readonly<Record<string, Value>>>,
): Rows => ({
  table,
  columns: table.columns.map(({ name }) => objects.map((object) => object[name] ?? null)),
  length: objects.length,
  origin: null,
})
