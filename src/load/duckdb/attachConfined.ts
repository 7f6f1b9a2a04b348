// Attaches a file that somebody else may have made or changed, such as one of a backup or of a copied data directory: its views, also
// one in the place of a table, are SQL that runs when they are read.
import type { DuckDBConnection } from "@duckdb/node-api"
import { literal } from "../sql/sql.ts"

export interface Confinement {
  /** Of ATTACH. */
  readonly options?: string
  /** Where SQL may read and write files; links that lead out of them are refused. */
  readonly folders?: ReadonlyArray<string>
}

/**
 * From then on, SQL of the whole instance reaches nothing but what is attached, what spills and `folders`: no other file, no network,
 * no extension. It can't be undone.
 */
export const attachConfined = async (
  connection: DuckDBConnection,
  file: string,
  name: string,
  { options = "READ_ONLY", folders = [] }: Confinement = {},
): Promise<void> => {
  // DuckDB would download one for a database of another kind.
  await connection.run("SET autoinstall_known_extensions = false")
  await connection.run("SET autoload_known_extensions = false")
  await connection.run(`ATTACH ${literal(file)} AS ${name} (${options})`)
  await connection.run(`SET allowed_directories = [${folders.map(literal).join(", ")}]`)
  await connection.run("SET enable_external_access = false")
}
