// Copies rows of a table between two databases that are attached to one connection.
import type { DuckDBConnection } from "@duckdb/node-api"
import { allColumns, type Table } from "../../domain/table/table.ts"
import { identifiers, inCatalog } from "../sql/sql.ts"

/**
 * Replaces the rows of catalog `to` by those of `from`, where both satisfy `condition` (SQL); in their order if the
 * connection has one thread.
 */
export const copyRows = async (
  connection: DuckDBConnection,
  table: Table,
  from: string,
  to: string,
  condition = "true",
): Promise<void> => {
  const target = inCatalog(to, table)
  const columns = identifiers(allColumns(table).map(({ name }) => name))
  await connection.run(
    `DELETE FROM ${target} WHERE ${condition};
     INSERT INTO ${target} (${columns})
     SELECT ${columns} FROM ${inCatalog(from, table)} WHERE ${condition}`,
  )
}
