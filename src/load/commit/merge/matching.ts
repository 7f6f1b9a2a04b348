// The SQL conditions of a merge: which stored rows it reads, and which rows have the same key.
import type { Table } from "../../../domain/table/table.ts"
import type { Staged } from "./stage.ts"
import { day, identifier, instant } from "../../sql/sql.ts"

/** `a.key = b.key AND …`; key columns are required, so equality is enough. */
export const sameKey = (table: Table, left: string, right: string): string =>
  table.key
    .map((name) => `${left}.${identifier(name)} = ${right}.${identifier(name)}`)
    .join(" AND ")

/** Which stored rows, as `t`, a merge reads. Literal bounds let DuckDB skip row groups: the cost does not grow with the history. */
export const withinBounds = (staged: Staged): string => {
  const { table, bounds } = staged
  // Without its time in the key, a stored row of the same key may have another.
  if (bounds === undefined || table.time === undefined || !table.key.includes(table.time)) {
    return "true"
  }
  const type = table.columns.find((column) => column.name === table.time)?.type
  const value = type === "date" ? day : instant
  return `t.${identifier(table.time)} BETWEEN ${value(bounds.from)} AND ${value(bounds.to)}`
}
