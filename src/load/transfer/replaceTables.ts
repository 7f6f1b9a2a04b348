// Replaces tables by those of another database file, in one transaction: the tables that a replay rebuilt become the
// warehouse's.
import * as Effect from "effect/Effect"
import type { Table } from "../../domain/table/table.ts"
import { executeInTransaction, type Statements } from "../commit/executeAll.ts"
import { Changes, type Session } from "../commit/session.ts"
import { transaction } from "../duckdb/transaction.ts"
import { compared, OTHER, withAttached } from "./compareTables.ts"
import { copyRows } from "../duckdb/copyRows.ts"
import { readRows } from "../duckdb/readRows.ts"
import { CATALOG, inCatalog } from "../sql/sql.ts"
import { selectMonths } from "../tables/months.ts"
import { Warehouse } from "../Warehouse.ts"

/**
 * Compares `tables` with those of the warehouse in `otherDataDir`, and replaces those that differ; runs the statements in the same
 * transaction, even if none differs.
 */
export const replaceTables = (
  tables: ReadonlyArray<Table>,
  otherDataDir: string,
  also: Statements = { statements: [], changed: [] },
) =>
  withAttached(
    otherDataDir,
    Effect.gen(function* () {
      const { exclusively } = yield* Warehouse
      const comparisons = yield* compared(tables)
      const differing = comparisons.filter(([, { isSame }]) => !isSame).map(([table]) => table)
      if (differing.length + also.statements.length > 0) {
        yield* exclusively("Replacing the rebuilt tables", (session) =>
          replace(session, differing, also),
        )
      }
      return comparisons.map(([, comparison]) => comparison)
    }),
  )

const replace = async (
  session: Session,
  tables: ReadonlyArray<Table>,
  also: Statements,
): Promise<void> => {
  const changes = new Changes(session)
  await transaction(session, async () => {
    for (const table of tables) {
      for (const catalog of [CATALOG, OTHER]) {
        const sql = selectMonths(table, inCatalog(catalog, table))
        const months = await readRows(session.connection, sql)
        changes.add(
          table,
          months.map(({ month }) => String(month)),
        )
      }
      await copyRows(session.connection, table, OTHER, CATALOG)
    }
    await executeInTransaction(session, also)
    await changes.write()
  })
  changes.afterCommit()
  session.ranges.forget()
  session.keys.forget()
}
