// The marts: views for analysts, each one SQL file and one YAML file under warehouse/marts. A new mart is
// those two files and one line in `names`.
import type { DuckDBConnection } from "@duckdb/node-api"
import * as Schema from "effect/Schema"
import type { Table } from "../domain/table.ts"
import { asOfStatements } from "./asOf.ts"
import { identifier, literal } from "./sql.ts"
import { readWarehouseFile, WarehouseFileError } from "./warehouseFile.ts"
import { findWarehouseFolder } from "./warehouseFolder.ts"

/** In dependency order: a mart stands after those it reads. */
const names: ReadonlyArray<string> = [
  "series",
  "vault_addresses",
  "ratio_points",
  "apy_daily",
  "vault_daily",
  "vault_hourly",
  "vault_performance",
  "allocation_days",
  "allocation_daily",
  "pnl_daily",
  "apy_compare",
  "freshness",
  "completeness",
  "vault_subaccount_links",
  "last_asked",
  "subaccount_names",
  "subaccount_health",
  "subaccount_health_daily",
  "collateral_excess",
  "loan_book",
  "upcoming_payments",
  "withdrawal_queue",
  "withdrawal_history",
  "fee_schedule",
  "timelock_schedule",
  "vault_latest",
  "governance_timeline",
  "comparisons",
  "reconciliation",
  "protocol_exposure",
]

const MartColumn = Schema.Struct({
  name: Schema.NonEmptyString,
  type: Schema.Literals(["boolean", "integer", "bigint", "double", "varchar", "date", "timestamp"]),
  /** Meaning in one sentence; becomes the COMMENT and the dictionary entry. */
  comment: Schema.NonEmptyString,
  unit: Schema.optionalKey(Schema.NonEmptyString),
})
export type MartColumn = typeof MartColumn.Type

/**
 * The rows some columns come from, for `vaulthouse trace`: those of a core table (`fact`) that a condition ties
 * to the mart's row (`mart`). Both names stand in the SQL of `where` and `first_by`.
 */
const MartSource = Schema.Struct({
  table: Schema.NonEmptyString,
  /** Column of the mart → column of the table it is made from, or the columns. */
  columns: Schema.Record(
    Schema.String,
    Schema.Union([Schema.NonEmptyString, Schema.NonEmptyArray(Schema.NonEmptyString)]),
  ),
  where: Schema.NonEmptyString,
  /** The figure is that of the first row in this order that has a value; without it, of all the rows. */
  first_by: Schema.optionalKey(Schema.NonEmptyString),
})
export type MartSource = typeof MartSource.Type

const Document = Schema.Struct({
  description: Schema.NonEmptyString,
  /** One row per … */
  grain: Schema.NonEmptyString,
  key: Schema.NonEmptyArray(Schema.NonEmptyString),
  columns: Schema.NonEmptyArray(MartColumn),
  from: Schema.optionalKey(Schema.NonEmptyArray(MartSource)),
  /** A question the mart answers, as runnable SQL. */
  example: Schema.NonEmptyString,
})

export interface Mart extends Schema.Schema.Type<typeof Document> {
  readonly name: string
  /** The select alone, naming tables as schema.table: a catalog's name would break every copy. */
  readonly sql: string
}

/** Reads and checks `<directory>/<name>.sql` and `.yml`. Throws `WarehouseFileError`, naming file and place. */
export const readMart = (directory: string, name: string): Mart => {
  const { file, document, sql } = readWarehouseFile(directory, name, Document)
  const declared = new Set(document.columns.map((column) => column.name))
  const unknown = document.key.filter((column) => !declared.has(column))
  if (unknown.length > 0) {
    throw new WarehouseFileError({
      file,
      why: `its key names no column of it: ${unknown.join(", ")}`,
    })
  }
  const untold = (document.from ?? [])
    .flatMap(({ columns }) => Object.keys(columns))
    .filter((column) => !declared.has(column))
  if (untold.length > 0) {
    throw new WarehouseFileError({
      file,
      why: `\`from\` names no column of it: ${untold.join(", ")}`,
    })
  }
  return { ...document, name, sql }
}

export const martsDirectory: string = findWarehouseFolder("marts", import.meta.dirname)

/** Every mart, in dependency order. The files are part of the package: a wrong one is a defect. */
export const marts: ReadonlyArray<Mart> = names.map((name) => readMart(martsDirectory, name))

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

export const martComment = (mart: Mart): string =>
  `${sentence(mart.description.trim())} One row per ${sentence(mart.grain)}`

export const martColumnComment = ({ comment, unit }: MartColumn): string =>
  unit === undefined ? sentence(comment) : `${sentence(comment)} [${unit}]`

/** The view and its comments, for a connection whose catalog in use is the warehouse's. */
export const martStatements = (mart: Mart): ReadonlyArray<string> => {
  const view = `mart.${identifier(mart.name)}`
  return [
    `CREATE OR REPLACE VIEW ${view} AS\n${mart.sql}`,
    `COMMENT ON VIEW ${view} IS ${literal(martComment(mart))}`,
    ...mart.columns.map(
      (column) =>
        `COMMENT ON COLUMN ${view}.${identifier(column.name)} IS ${literal(martColumnComment(column))}`,
    ),
  ]
}

const inUse = async (connection: DuckDBConnection): Promise<string> => {
  const reader = await connection.runAndReadAll("SELECT current_catalog(), current_schema()")
  return (reader.getRows()[0] ?? []).map((name) => identifier(String(name))).join(".")
}

/**
 * Creates or replaces every mart in `catalog` and the `_as_of` macros of `tables`, with comments, in one
 * transaction or not at all; call it outside of one. Rejects with what DuckDB said.
 */
export const createMarts = async (
  connection: DuckDBConnection,
  catalog: string,
  tables: ReadonlyArray<Table>,
): Promise<void> => {
  const before = await inUse(connection)
  // A view keeps the catalog its SQL names, and a copy then looks for it in vain: so none is named.
  await connection.run(`USE ${identifier(catalog)}`)
  try {
    await connection.run("BEGIN")
    try {
      await connection.run("CREATE SCHEMA IF NOT EXISTS mart")
      const statements = [...marts.flatMap(martStatements), ...asOfStatements(tables)]
      await connection.run(statements.join(";\n"))
      await connection.run("COMMIT")
    } catch (cause) {
      await connection.run("ROLLBACK")
      throw cause
    }
  } finally {
    await connection.run(`USE ${before}`)
  }
}
