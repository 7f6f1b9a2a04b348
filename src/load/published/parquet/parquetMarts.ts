// The marts as Parquet: a stored mart has a file for each month, written again when the month changes; every other
// mart is one file of each publication, since its rows may depend on the present time.
import type { DuckDBConnection } from "@duckdb/node-api"
import { decodeRow, number, text } from "../../duckdb/decodeRow.ts"
import { type Mart, martColumnComment, martComment, marts } from "../../marts/marts.ts"
import type { Exportable, FileContent, Stamp } from "./parquetFile.ts"
import { readRows } from "../../duckdb/readRows.ts"
import { CATALOG, identifier } from "../../sql/sql.ts"
import { type StoredMart, storedMarts } from "../../marts/storedMarts.ts"

const exportableMart = (mart: Mart): Exportable => ({
  schema: "mart",
  name: mart.name,
  source: `${CATALOG}.mart.${identifier(mart.name)}`,
  comment: martComment(mart),
  columns: mart.columns.map((column) => ({
    name: column.name,
    type: column.type,
    comment: martColumnComment(column),
  })),
  time: undefined,
  order: mart.key,
})

export const martParts = async (
  connection: DuckDBConnection,
  { publishedMicros }: Stamp,
): Promise<ReadonlyArray<FileContent>> => {
  const parts: Array<FileContent> = []
  for (const mart of marts) {
    const exportable = exportableMart(mart)
    const stored = storedMarts.find(({ name }) => name === mart.name)
    if (stored === undefined) {
      parts.push({ exportable, month: null, changedAt: publishedMicros })
    } else {
      for (const part of await storedParts(connection, exportable, stored)) parts.push(part)
    }
  }
  return parts
}

const decodeMonth = decodeRow({
  month: text("month"),
  changedAt: number("changed_at"),
  definition: text("definition"),
})

/** A month's rows change with those of the tables they are made from, or with the definition. */
const storedParts = async (
  connection: DuckDBConnection,
  mart: Exportable,
  { name, time }: StoredMart,
): Promise<ReadonlyArray<FileContent>> => {
  const months = await readRows(
    connection,
    `SELECT month, definition, epoch_us(changed_at) AS changed_at
     FROM ${CATALOG}.ops.partition_changes JOIN ${CATALOG}.ops.stored_marts ON name = table_name
     WHERE table_schema = 'mart_tables' AND table_name = $1 ORDER BY ALL`,
    [name],
  )
  return months.map(decodeMonth).map(({ changedAt, definition, month }) => ({
    exportable: { ...mart, source: `${CATALOG}.mart_tables.${identifier(name)}`, time, definition },
    month,
    changedAt,
  }))
}
