// Files of DuckDB may be of others, or changed by them, such as in a backup or a copied data directory: their views, also one in the
// place of a table, are SQL that runs when they are read.
import type { DuckDBConnection } from "@duckdb/node-api"
import { type Table, tableName } from "../../domain/table/table.ts"
import { literal } from "../sql/sql.ts"

/** From here on, extensions are loaded only explicitly: DuckDB would download an extension for a database of another kind. */
export const disableAutoload = async (connection: DuckDBConnection): Promise<void> => {
  await connection.run("SET autoinstall_known_extensions = false")
  await connection.run("SET autoload_known_extensions = false")
}

/**
 * From here on, SQL of the whole instance reaches nothing but what is attached, what spills and the files below `folders`: no other
 * file, no network, no extension. Links that lead out of the folders are refused. It can't be undone.
 */
export const confine = async (
  connection: DuckDBConnection,
  folders: ReadonlyArray<string>,
): Promise<void> => {
  await connection.run(`SET allowed_directories = [${folders.map(literal).join(", ")}]`)
  await connection.run("SET enable_external_access = false")
}

/** Attaches `file` as `name`, and confines what its SQL reaches. `options` are those of ATTACH. */
export const attachConfined = async (
  connection: DuckDBConnection,
  file: string,
  name: string,
  folders: ReadonlyArray<string> = [],
  options = "READ_ONLY",
): Promise<void> => {
  await disableAutoload(connection)
  await connection.run(`ATTACH ${literal(file)} AS ${name} (${options})`)
  await confine(connection, folders)
}

/**
 * For a file that is read where nothing can be confined, because its rows go into a lake or come from one: the first of `tables` that
 * the database attached as `catalog` has as a view or with computed columns, or not at all; and, given `viewSchemas`, else its first
 * view or macro outside of these. It reads names and definitions only, so that none of that SQL runs, and by names that no macro of
 * the file can hide.
 */
export const foreignSql = async (
  connection: DuckDBConnection,
  catalog: string,
  tables: ReadonlyArray<Table>,
  viewSchemas?: ReadonlyArray<string>,
): Promise<string | undefined> => {
  const read = async (columns: string, source: string) => {
    const sql = `SELECT schema_name, ${columns} FROM system.main.${source}() WHERE database_name = ${literal(catalog)}`
    return (await connection.runAndReadAll(sql)).getRows().map((row) => row.map(String))
  }
  const stored = new Set<string>()
  for (const [schema, name, sql = ""] of await read("table_name, sql", "duckdb_tables")) {
    if (!sql.includes("GENERATED ALWAYS AS")) stored.add(`${schema}.${name}`)
  }
  const changed = tables.map(tableName).find((name) => !stored.has(name))
  if (changed !== undefined || viewSchemas === undefined) return changed
  const defined = [
    ...(await read("view_name", "duckdb_views")),
    ...(await read("function_name", "duckdb_functions")),
  ]
  return defined.find(([schema = ""]) => !viewSchemas.includes(schema))?.join(".")
}
