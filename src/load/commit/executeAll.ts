// Runs statements that are not of the loader as one transaction, and marks the tables they change.
import type { Table } from "../../domain/table/table.ts"
import type { Session } from "./session.ts"
import { transaction } from "../duckdb/transaction.ts"
import { CATALOG, literal } from "../sql/sql.ts"

/** A table, or some months of it as partition_changes names them. */
export type Changed = Table | { readonly table: Table; readonly months: ReadonlyArray<string> }

export const executeAll = async (
  session: Session,
  statements: ReadonlyArray<string>,
  changed: ReadonlyArray<Changed>,
): Promise<void> => {
  await transaction(session, async () => {
    for (const statement of statements) await session.connection.run(statement)
    for (const each of changed) {
      const { table, months } = "table" in each ? each : { table: each, months: undefined }
      // Without months every one, past ones included: the statements may have removed all rows of one.
      const some =
        months === undefined ? "" : `AND month IN (${["", ...months].map(literal).join(", ")})`
      await session.connection.run(
        `UPDATE ${CATALOG}.ops.partition_changes SET changed_at = make_timestamp(${session.tick()}::BIGINT)
         WHERE table_schema = $1 AND table_name IN ($2, $2 || '_versions') ${some}`,
        [table.schema, table.name],
      )
    }
  })
}
