// A DuckDB file as another reader sees it: opened by an instance of its own, read-only.
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api"

export const readOnly = async <A>(
  file: string,
  work: (connection: DuckDBConnection) => Promise<A>,
  options: Readonly<Record<string, string>> = {},
): Promise<A> => {
  const instance = await DuckDBInstance.create(file, { access_mode: "READ_ONLY", ...options })
  const connection = await instance.connect()
  try {
    return await work(connection)
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}
