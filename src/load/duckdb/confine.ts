// Files of DuckDB may be of others, or changed by them, such as in a backup or a copied data directory: their views, also one in the
// place of a table, are SQL that runs when they are read.
import type { DuckDBConnection } from "@duckdb/node-api"
import { literal } from "../sql/sql.ts"

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
  // DuckDB would download an extension for a database of another kind.
  await connection.run("SET autoinstall_known_extensions = false")
  await connection.run("SET autoload_known_extensions = false")
  await connection.run(`ATTACH ${literal(file)} AS ${name} (${options})`)
  await confine(connection, folders)
}
