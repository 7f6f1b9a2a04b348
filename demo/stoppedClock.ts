// Stops the clock of the marts, so that their results do not depend on the time of the query.
import type { DuckDBConnection } from "@duckdb/node-api"
import { literal } from "../src/load/sql/sql.ts"

/** `mart` is the schema, with its catalog where that is not the one in use; the instant is UTC. */
export const stopClock = async (
  connection: DuckDBConnection,
  mart: string,
  instant: string,
): Promise<void> => {
  await connection.run(
    `CREATE OR REPLACE VIEW ${mart}.clock AS SELECT TIMESTAMP ${literal(instant)} AS now_at`,
  )
}
