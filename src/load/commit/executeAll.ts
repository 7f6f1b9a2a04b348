// Runs statements that are not of the loader as one transaction, and marks the tables they change.
import type { Table } from "../../domain/table/table.ts"
import type { Session } from "./session.ts"
import { transaction } from "../duckdb/transaction.ts"
import { CATALOG, literal } from "../sql/sql.ts"

/** A table, or some months of it as partition_changes names them. */
export type Changed = Table | { readonly table: Table; readonly months: ReadonlyArray<string> }

/** Statements that are run together, and what they change. */
export interface Statements {
  readonly statements: ReadonlyArray<string>
  readonly changed: ReadonlyArray<Changed>
}

export const executeAll = (
  session: Session,
  statements: ReadonlyArray<string>,
  changed: ReadonlyArray<Changed>,
): Promise<void> =>
  transaction(session, () => executeInTransaction(session, { statements, changed }))

/** As `executeAll`, in a transaction that has begun. */
export const executeInTransaction = async (
  { connection, tick }: Session,
  { statements, changed }: Statements,
): Promise<void> => {
  for (const statement of statements) await connection.run(statement)
  for (const each of changed) {
    const { table, months } = "table" in each ? each : { table: each, months: undefined }
    // Without months every one, past ones included: the statements may have removed all rows of one.
    const some =
      months === undefined ? "" : `AND month IN (${["", ...months].map(literal).join(", ")})`
    await connection.run(
      `UPDATE ${CATALOG}.ops.partition_changes SET changed_at = make_timestamp(${tick()}::BIGINT)
       WHERE table_schema = $1 AND table_name IN ($2, $2 || '_versions') ${some}`,
      [table.schema, table.name],
    )
  }
}
