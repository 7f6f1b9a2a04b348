// Puts the rows of another database file in the place of a table's own, all or nothing: what a replay has
// rebuilt beside the warehouse becomes the warehouse in one transaction.
import * as Effect from "effect/Effect"
import { allColumns, type Table, tableName } from "../domain/table.ts"
import { Changes, type Session, transaction } from "./commitGroup.ts"
import { databaseFile } from "./database.ts"
import { storedTables } from "./ddl.ts"
import type { LoadError } from "./errors.ts"
import { readRows } from "./readRows.ts"
import { CATALOG, identifiers, literal, qualified } from "./sql.ts"
import { Warehouse } from "./Warehouse.ts"

export interface Comparison {
  readonly table: string
  readonly rowsBefore: number
  readonly rowsAfter: number
  /** Whether the rows are the same to the last bit. */
  readonly isSame: boolean
}

const OTHER = "replayed"

// Two sums, since a pair of equal rows would vanish in an exclusive or.
const fingerprint = (catalog: string, table: Table): string =>
  `SELECT count(*)::DOUBLE AS rows, coalesce(sum(hash(t))::VARCHAR, '') ||
     coalesce(bit_xor(hash(t))::VARCHAR, '') AS content
   FROM (SELECT ${identifiers(allColumns(table).map(({ name }) => name))}
     FROM ${catalog}.${table.schema}.${table.name}) t`

/** Compares `tables` with those of the warehouse in `otherDataDir`, and takes over those that differ. */
export const replaceTables = (
  tables: ReadonlyArray<Table>,
  otherDataDir: string,
): Effect.Effect<ReadonlyArray<Comparison>, LoadError, Warehouse> =>
  Effect.flatMap(Warehouse, (warehouse) =>
    warehouse.exclusively("Taking over the rebuilt tables", async (session) => {
      const { connection } = session
      await connection.run(`ATTACH ${literal(databaseFile(otherDataDir))} AS ${OTHER} (READ_ONLY)`)
      try {
        const comparisons: Array<Comparison> = []
        const differing: Array<Table> = []
        for (const table of tables.flatMap(storedTables)) {
          const [own] = await readRows(connection, fingerprint(CATALOG, table))
          const [other] = await readRows(connection, fingerprint(OTHER, table))
          const isSame =
            own?.["content"] === other?.["content"] && own?.["rows"] === other?.["rows"]
          if (!isSame) differing.push(table)
          comparisons.push({
            table: tableName(table),
            rowsBefore: Number(own?.["rows"]),
            rowsAfter: Number(other?.["rows"]),
            isSame,
          })
        }
        if (differing.length > 0) await takeOver(session, differing)
        return comparisons
      } finally {
        await connection.run(`DETACH ${OTHER}`)
      }
    }),
  )

const takeOver = async (session: Session, tables: ReadonlyArray<Table>): Promise<void> => {
  const { connection } = session
  const changes = new Changes(session)
  await transaction(session, async () => {
    for (const table of tables) {
      const columns = identifiers(allColumns(table).map(({ name }) => name))
      for (const months of [
        await monthsOf(session, CATALOG, table),
        await monthsOf(session, OTHER, table),
      ]) {
        changes.add(table, months)
      }
      await connection.run(`DELETE FROM ${qualified(table)}`)
      await connection.run(
        `INSERT INTO ${qualified(table)} (${columns})
         SELECT ${columns} FROM ${OTHER}.${table.schema}.${table.name}`,
      )
    }
    await changes.write()
  })
  changes.settle()
}

const monthsOf = async (
  { connection }: Session,
  catalog: string,
  table: Table,
): Promise<ReadonlyArray<string>> => {
  if (table.time === undefined) return ["-"]
  const rows = await readRows(
    connection,
    `SELECT DISTINCT strftime("${table.time}", '%Y-%m') AS month
     FROM ${catalog}.${table.schema}.${table.name}`,
  )
  return rows.map(({ month }) => String(month))
}
