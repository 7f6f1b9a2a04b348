// When each month of each table last changed, as recorded in ops.partition_changes. Everything made from the tables
// keeps the recorded times it was made with, and is made again where they differ. Times are only compared for
// equality, because the clocks of the machines that write a lake differ.
import type { DuckDBConnection } from "@duckdb/node-api"
import { decodeRow, number, text } from "../duckdb/decodeRow.ts"
import { readRows } from "../duckdb/readRows.ts"

export interface PartitionChange {
  /** With its schema. */
  readonly table: string
  /** YYYY-MM; `undefined` for a table that is not partitioned. */
  readonly month: string | undefined
  /** Microseconds since 1970. */
  readonly changedAt: number
}

const decodeChange = decodeRow({
  table: text("name"),
  month: text("month"),
  changedAt: number("changed_at"),
})

/** Every change in `recorded`, the SQL name of a database's ops.partition_changes. */
export const readChanges = async (
  connection: DuckDBConnection,
  recorded: string,
): Promise<ReadonlyArray<PartitionChange>> => {
  const rows = await readRows(
    connection,
    `SELECT table_schema || '.' || table_name AS name, month, epoch_us(changed_at) AS changed_at
     FROM ${recorded} ORDER BY ALL`,
  )
  return rows.map(decodeChange).map((change) => ({
    ...change,
    month: change.month === "-" ? undefined : change.month,
  }))
}
