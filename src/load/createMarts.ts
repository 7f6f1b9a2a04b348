// Brings the views and macros of schema mart, and schema meta, to what this version says; what is unchanged is left
// alone, because making all of it again with its comments costs a publication several hundred milliseconds.
import { createHash } from "node:crypto"
import type { DuckDBConnection } from "@duckdb/node-api"
import { type Table, tableName } from "../domain/table.ts"
import { asOfMacros, asOfMacroStatements } from "./asOf.ts"
import { marts, martStatements } from "./marts.ts"
import { metaDefinitions } from "./meta.ts"
import { identifier, literal } from "./sql.ts"
import { viewFingerprints } from "./tables/view_fingerprints.ts"

interface Definition {
  /** With its schema. */
  readonly name: string
  readonly statements: ReadonlyArray<string>
  readonly fingerprint: string
}

const define = (name: string, statements: ReadonlyArray<string>): Definition => ({
  name,
  statements,
  fingerprint: createHash("sha256").update(statements.join(";")).digest("hex"),
})

const definitionsOf = (tables: ReadonlyArray<Table>): ReadonlyArray<Definition> => [
  ...marts.map((mart) => define(`mart.${mart.name}`, martStatements(mart))),
  ...asOfMacros(tables).map((macro) => define(`mart.${macro.name}`, asOfMacroStatements(macro))),
  ...metaDefinitions(tables).map(({ name, statements }) => define(name, statements)),
]

/** What both schemas hold in the catalog in use: of what was made by other means the fingerprint is null. */
const existing = `
  SELECT name, kind, fingerprint
  FROM (
    SELECT schema_name || '.' || view_name AS name, 'VIEW' AS kind FROM duckdb_views()
    WHERE database_name = current_database() AND schema_name IN ('mart', 'meta')
    UNION
    SELECT schema_name || '.' || function_name, 'MACRO TABLE' FROM duckdb_functions()
    WHERE database_name = current_database() AND schema_name = 'mart'
    UNION
    SELECT schema_name || '.' || table_name, 'TABLE' FROM duckdb_tables()
    WHERE database_name = current_database() AND schema_name = 'meta'
  )
  LEFT JOIN ${tableName(viewFingerprints)} USING (name)`

/**
 * Makes what is new or was defined otherwise in `catalog`, with comments, and drops what this version no longer has, in
 * one transaction; call it outside of one. Rejects with what DuckDB said.
 */
export const createMarts = async (
  connection: DuckDBConnection,
  catalog: string,
  tables: ReadonlyArray<Table>,
): Promise<void> => {
  const [[before] = []] = (
    await connection.runAndReadAll(
      `SELECT '"' || current_catalog() || '"."' || current_schema() || '"'`,
    )
  ).getRows()
  // A view keeps the catalog its SQL names, and would not find it in a copy: so none is named.
  await connection.run(`USE ${identifier(catalog)}`)
  try {
    const statements = await changes(connection, definitionsOf(tables))
    if (statements.length === 0) return
    await connection.run("BEGIN")
    try {
      await connection.run(statements.join(";\n"))
      await connection.run("COMMIT")
    } catch (cause) {
      await connection.run("ROLLBACK")
      throw cause
    }
  } finally {
    await connection.run(`USE ${String(before)}`)
  }
}

const qualifiedName = (name: string): string => name.split(".").map(identifier).join(".")

const changes = async (
  connection: DuckDBConnection,
  definitions: ReadonlyArray<Definition>,
): Promise<ReadonlyArray<string>> => {
  const found = new Map<unknown, unknown>()
  const gone: Array<string> = []
  const wanted = new Set(definitions.map(({ name }) => name))
  for (const [name, kind, fingerprint] of (await connection.runAndReadAll(existing)).getRows()) {
    found.set(name, fingerprint)
    if (!wanted.has(String(name))) gone.push(`DROP ${String(kind)} ${qualifiedName(String(name))}`)
  }
  const changed = definitions.filter(({ name, fingerprint }) => found.get(name) !== fingerprint)
  if (changed.length + gone.length === 0) return []
  const fingerprints = tableName(viewFingerprints)
  const rows = definitions.map(
    ({ name, fingerprint }) => `(${literal(name)}, ${literal(fingerprint)})`,
  )
  return [
    ...gone,
    ...changed.flatMap(({ statements }) => statements),
    `DELETE FROM ${fingerprints}`,
    `INSERT INTO ${fingerprints} (name, fingerprint) VALUES ${rows.join(", ")}`,
  ]
}
