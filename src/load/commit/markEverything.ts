// Marks every month of every table as changed, from the rows themselves: rows that were changed by hand are not in
// ops.partition_changes, which everything made from the tables goes by.
import { type Table, tableName } from "../../domain/table/table.ts"
import { decodeRow, text } from "../duckdb/decodeRow.ts"
import { readRows } from "../duckdb/readRows.ts"
import { transaction } from "../duckdb/transaction.ts"
import { CATALOG, literal, qualified } from "../sql/sql.ts"
import { selectMonths } from "../tables/months.ts"
import { Changes, type Session } from "./session.ts"

const found = decodeRow({ table: text("name"), month: text("month") })

const monthsOfRows = (table: Table): string =>
  `SELECT ${literal(tableName(table))} AS name, month FROM (${selectMonths(table, qualified(table))})`

/** `tables` are all that a publication holds, versions included. */
export const markEverything = (session: Session, tables: ReadonlyArray<Table>): Promise<void> =>
  transaction(session, async () => {
    const { connection } = session
    const byName = new Map(tables.map((table) => [tableName(table), table]))
    const months = await readRows(connection, tables.map(monthsOfRows).join(" UNION ALL "))
    // A month of which all rows were removed is still recorded.
    await connection.run(
      `UPDATE ${CATALOG}.ops.partition_changes
       SET changed_at = make_timestamp(${session.tick()}::BIGINT)`,
    )
    const changes = new Changes(session)
    for (const { table, month } of months.map(found)) {
      const known = byName.get(table)
      if (known !== undefined) changes.add(known, [month])
    }
    await changes.write()
  })
