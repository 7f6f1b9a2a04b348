// The layout of a warehouse: the statements that make its tables, and a fingerprint of them. A warehouse with the
// same fingerprint has these tables and comments, so that none of the 1,900 statements runs again.
import type { DuckDBConnection } from "@duckdb/node-api"
import { allColumns, type Table, storedTables } from "../../domain/table/table.ts"
import { fingerprint } from "../../domain/values/fingerprint.ts"
import { commentOnColumn, commentOnTable, createSchemas, createTable } from "./ddl.ts"
import { literal, qualified } from "../sql/sql.ts"
import { layout } from "./ops/layout.ts"

const creation = (tables: ReadonlyArray<Table>): ReadonlyArray<string> => [
  ...createSchemas,
  ...tables
    .flatMap(storedTables)
    .flatMap((table) => [
      createTable(table),
      commentOnTable(table),
      ...allColumns(table).map((column) => commentOnColumn(table, column)),
    ]),
]

/**
 * The number of this version's layout. A release whose tables, or the meaning of whose rows, differ from the last one's has the
 * next number, and a warehouse and a line in layouts.json among test/fixtures/warehouses.
 */
export const LAYOUT_NUMBER = 3

export const fingerprintOf = (tables: ReadonlyArray<Table>): string =>
  fingerprint(String(LAYOUT_NUMBER), ...creation(tables))

/** 1 for the first layout, which has no number, and for a warehouse without tables. */
export const storedLayoutNumber = async (connection: DuckDBConnection): Promise<number> => {
  const found = await connection
    .runAndReadAll(`SELECT number FROM ${qualified(layout)}`)
    // The table or its column may be missing.
    .catch(() => undefined)
  return Number(found?.getRowsJson()[0]?.[0] ?? 1)
}

/** `undefined` if none is recorded. */
export const storedFingerprint = async (
  connection: DuckDBConnection,
): Promise<string | undefined> => {
  const found = await connection
    .runAndReadAll(`SELECT fingerprint FROM ${qualified(layout)}`)
    // The table may be missing. Listing the tables first would take longer than the rest of the opening.
    .catch(() => undefined)
  return found?.getRowsJson().flat().map(String)[0]
}

/** Statements that record the fingerprint, for the transaction that makes the layout. */
export const recording = (made: string): ReadonlyArray<string> => [
  `DELETE FROM ${qualified(layout)}`,
  `INSERT INTO ${qualified(layout)} (fingerprint, number) VALUES (${literal(made)}, ${LAYOUT_NUMBER})`,
]

/** One script that makes every table of an empty warehouse. */
export const creationScript = (tables: ReadonlyArray<Table>): string =>
  ["BEGIN", ...creation(tables), ...recording(fingerprintOf(tables)), "COMMIT"].join(";\n")
