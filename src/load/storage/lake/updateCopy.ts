// Brings a copy of the warehouse up to date: replaces the months of tables that changed since the copy was made, as
// both have recorded it.
import type { DuckDBConnection } from "@duckdb/node-api"
import { type Table, tableName } from "../../../domain/table/table.ts"
import { copyRows } from "../../duckdb/copyRows.ts"
import { isBetween, rangesOf } from "../../tables/months.ts"
import { readChanges } from "../../tables/partitionChanges.ts"
import { readRows } from "../../duckdb/readRows.ts"
import { CATALOG, identifier, inCatalog, literal, qualified } from "../../sql/sql.ts"
import { layout } from "../../tables/ops/layout.ts"
import { partitionChanges } from "../../tables/ops/partition_changes.ts"
import { storedMartsTable } from "../../tables/ops/stored_marts.ts"
import { alone, transaction } from "../../duckdb/transaction.ts"
import { viewFingerprints } from "../../tables/ops/view_fingerprints.ts"

// Each database has its own rows in these tables: how it was made, and when each month changed.
const own: ReadonlySet<Table> = new Set([
  layout,
  partitionChanges,
  storedMartsTable,
  viewFingerprints,
])

// Records of stored marts, which a copy makes itself.
const OF_STORED_MARTS = `table_schema = 'mart_tables'
  OR (table_schema = ${literal(storedMartsTable.schema)} AND table_name = ${literal(storedMartsTable.name)})`

export interface Update {
  readonly connection: DuckDBConnection
  /** Every stored table, versions included. */
  readonly tables: ReadonlyArray<Table>
  /** The catalog that the warehouse is attached as; the copy is `CATALOG`. */
  readonly source: string
  /** Replace all rows, whatever is recorded. */
  readonly isWhole: boolean
}

/** If it fails, it rejects and leaves the copy half updated. */
export const updateCopy = async (update: Update): Promise<void> => {
  const { connection, source } = update
  const copy = (table: Table, condition?: string) =>
    copyRows(connection, table, source, CATALOG, condition)
  const tables = update.tables.filter((table) => !own.has(table) && table.schema !== "meta")
  const stale = update.isWhole ? undefined : await changedParts(update)
  // Also rolled back: DuckDB would end the process where it closes a connection whose transaction has lost PostgreSQL.
  await transaction(alone(connection), async () => {
    for (const table of tables) {
      const months = stale?.get(tableName(table))
      if (stale === undefined) await copy(table)
      else if (months !== undefined) {
        for (const condition of conditionsOf(table, months)) await copy(table, condition)
      }
    }
    // Rows that were changed by hand are recorded nowhere.
    for (const table of await ofOtherSize(update, tables)) await copy(table)
    const recorded = qualified(partitionChanges)
    await connection.run(
      `DELETE FROM ${recorded} WHERE NOT (${OF_STORED_MARTS});
       INSERT INTO ${recorded} FROM ${inCatalog(source, partitionChanges)} WHERE NOT (${OF_STORED_MARTS})`,
    )
  })
}

type Months = ReadonlySet<string | undefined>

/** By table, the months whose record differs or is in only one of the two. */
const changedParts = async (update: Update): Promise<ReadonlyMap<string, Months>> => {
  const { connection } = update
  const before = await readChanges(connection, qualified(partitionChanges))
  const now = await readChanges(connection, inCatalog(update.source, partitionChanges))
  const keyOf = (change: (typeof now)[number]) => JSON.stringify(change)
  const keys = [before, now].map((changes) => new Set(changes.map(keyOf)))
  const differing = [...before, ...now].filter(
    (change) => !keys.every((each) => each.has(keyOf(change))),
  )
  const byTable = Map.groupBy(differing, ({ table }) => table)
  return new Map(
    [...byTable].map(([table, changes]) => [table, new Set(changes.map(({ month }) => month))]),
  )
}

/** SQL for the rows of each range of months. */
const conditionsOf = ({ time }: Table, months: Months): ReadonlyArray<string> => {
  const known = [...months].filter((month) => month !== undefined)
  return time === undefined || known.length < months.size
    ? ["true"]
    : rangesOf(known).map((range) => isBetween(identifier(time), range))
}

const ofOtherSize = async (
  update: Update,
  tables: ReadonlyArray<Table>,
): Promise<ReadonlyArray<Table>> => {
  const sizes = tables.map(
    (table) =>
      `(SELECT count(*) FROM ${qualified(table)}) = (SELECT count(*) FROM ${inCatalog(update.source, table)})
       AS ${identifier(tableName(table))}`,
  )
  const [isSame] = await readRows(update.connection, `SELECT ${sizes.join(", ")}`)
  return tables.filter((table) => isSame?.[tableName(table)] !== true)
}
