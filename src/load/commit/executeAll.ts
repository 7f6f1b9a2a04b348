// Runs statements that are not of the loader as one transaction, and marks the tables they change.
import type { Table } from "../../domain/table/table.ts"
import type { Session } from "./session.ts"
import { transaction } from "../duckdb/transaction.ts"
import { CATALOG } from "../sql/sql.ts"

export const executeAll = async (
  session: Session,
  statements: ReadonlyArray<string>,
  changed: ReadonlyArray<Table>,
): Promise<void> => {
  await transaction(session, async () => {
    for (const statement of statements) await session.connection.run(statement)
    for (const table of changed) {
      // Every month, past ones included: the statements may have removed all rows of one.
      await session.connection.run(
        `UPDATE ${CATALOG}.ops.partition_changes SET changed_at = make_timestamp(${session.tick()}::BIGINT)
         WHERE table_schema = $1 AND table_name IN ($2, $2 || '_versions')`,
        [table.schema, table.name],
      )
    }
  })
}
