// Writes a lake as one DuckDB file, table by table: COPY FROM DATABASE would lose comments and break marts.
import type { DuckDBConnection } from "@duckdb/node-api"
import { allColumns, type Table } from "../../domain/table.ts"
import { storedTables } from "../ddl.ts"
import { identifier, identifiers, literal, qualified } from "../sql.ts"
import { copyTemplate, STORAGE_VERSION } from "../template.ts"

const COPY = "copied_lake"

/** `file` must not exist. */
export const copyLake = async (
  connection: DuckDBConnection,
  file: string,
  tables: ReadonlyArray<Table>,
): Promise<void> => {
  await copyTemplate(file, tables)
  await connection.run(
    `ATTACH ${literal(file)} AS ${COPY} (STORAGE_VERSION ${literal(STORAGE_VERSION)})`,
  )
  try {
    for (const table of tables.flatMap(storedTables)) {
      const target = `${COPY}.${identifier(table.schema)}.${identifier(table.name)}`
      const columns = identifiers(allColumns(table).map(({ name }) => name))
      await connection.run(
        `DELETE FROM ${target}; INSERT INTO ${target} (${columns}) SELECT ${columns} FROM ${qualified(table)}`,
      )
    }
    await connection.run(`CHECKPOINT ${COPY}`)
  } finally {
    await connection.run(`DETACH ${COPY}`)
  }
}
