// The columns of the stored tables, in the order in which rows are appended.
import type { DuckDBConnection } from "@duckdb/node-api"
import { type Table, tableName } from "../../domain/table/table.ts"
import { decodeRow, list, text } from "../duckdb/decodeRow.ts"
import { readRows } from "../duckdb/readRows.ts"
import { sqlFile } from "../sql/sqlFile.ts"

const decode = decodeRow({ name: text("name"), columns: list(text)("columns") })

/** Reads the columns of all tables when first needed. Rejects if the stored table lacks a declared column. */
export const storedColumns = (connection: DuckDBConnection) => {
  let known: ReadonlyMap<string, ReadonlyArray<string>> | undefined
  return async (table: Table): Promise<ReadonlyArray<string>> => {
    if (known === undefined) {
      const rows = (await readRows(connection, sqlFile("state", "stored_columns"))).map(decode)
      known = new Map(rows.map(({ name, columns }) => [name, columns]))
    }
    const columns = known.get(tableName(table)) ?? []
    const missing = table.columns.find(({ name }) => !columns.includes(name))
    if (missing === undefined) return columns
    throw new Error(`${tableName(table)} is stored without the column ${missing.name}`)
  }
}
