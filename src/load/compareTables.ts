// Compares tables with those of another database file, to the last bit.
import * as Effect from "effect/Effect"
import { allColumns, type Table, tableName } from "../domain/table.ts"
import type { Session } from "./session.ts"
import { databaseFile } from "./storage/duckdbFile.ts"
import { storedTables } from "./ddl.ts"
import type { LoadError } from "./errors.ts"
import { readRows, type Row } from "./readRows.ts"
import { CATALOG, identifiers, literal } from "./sql.ts"
import { Warehouse } from "./Warehouse.ts"

export interface Comparison {
  readonly table: string
  readonly rowsBefore: number
  readonly rowsAfter: number
  /** Whether the rows are the same to the last bit. */
  readonly isSame: boolean
}

export interface Difference extends Comparison {
  /** A few rows that only one of the two has: the other may have the same key with other values. */
  readonly onlyHere: ReadonlyArray<Row>
  readonly onlyThere: ReadonlyArray<Row>
}

/** The other file's name while it is attached. */
export const OTHER = "replayed"

const MAX_EXAMPLES = 3

const rowsIn = (catalog: string, table: Table): string =>
  `SELECT ${identifiers(allColumns(table).map(({ name }) => name))}
   FROM ${catalog}.${table.schema}.${table.name}`

// Two checksums, because a pair of equal rows cancels out in an exclusive or.
const fingerprint = (catalog: string, table: Table): string =>
  `SELECT count(*)::DOUBLE AS rows, coalesce(sum(hash(t))::VARCHAR, '') ||
     coalesce(bit_xor(hash(t))::VARCHAR, '') AS content
   FROM (${rowsIn(catalog, table)}) t`

/** Runs `work` while the warehouse in `otherDataDir` is attached to read. */
export const withAttached = async <A>(
  { connection }: Session,
  otherDataDir: string,
  work: () => Promise<A>,
): Promise<A> => {
  await connection.run(`ATTACH ${literal(databaseFile(otherDataDir))} AS ${OTHER} (READ_ONLY)`)
  try {
    return await work()
  } finally {
    await connection.run(`DETACH ${OTHER}`)
  }
}

/** With the other file attached: each stored table, and whether it is the same. */
export const compared = async (
  { connection }: Session,
  tables: ReadonlyArray<Table>,
): Promise<ReadonlyArray<readonly [Table, Comparison]>> => {
  const comparisons: Array<readonly [Table, Comparison]> = []
  for (const table of tables.flatMap(storedTables)) {
    const [own] = await readRows(connection, fingerprint(CATALOG, table))
    const [other] = await readRows(connection, fingerprint(OTHER, table))
    comparisons.push([
      table,
      {
        table: tableName(table),
        rowsBefore: Number(own?.["rows"]),
        rowsAfter: Number(other?.["rows"]),
        isSame: own?.["content"] === other?.["content"] && own?.["rows"] === other?.["rows"],
      },
    ])
  }
  return comparisons
}

const onlyIn = ({ connection }: Session, table: Table, catalog: string, other: string) =>
  readRows(
    connection,
    `${rowsIn(catalog, table)} EXCEPT ALL ${rowsIn(other, table)}
     ORDER BY ${identifiers(table.key)} LIMIT ${MAX_EXAMPLES}`,
  )

/** Compares `tables` with those in `otherDataDir`, with a few rows of what differs. Changes nothing. */
export const compareTables = (
  tables: ReadonlyArray<Table>,
  otherDataDir: string,
): Effect.Effect<ReadonlyArray<Difference>, LoadError, Warehouse> =>
  Effect.flatMap(Warehouse, (warehouse) =>
    warehouse.exclusively("Comparing with the rebuilt tables", (session) =>
      withAttached(session, otherDataDir, async () => {
        const differences: Array<Difference> = []
        for (const [table, comparison] of await compared(session, tables)) {
          const { isSame } = comparison
          differences.push({
            ...comparison,
            onlyHere: isSame ? [] : await onlyIn(session, table, CATALOG, OTHER),
            onlyThere: isSame ? [] : await onlyIn(session, table, OTHER, CATALOG),
          })
        }
        return differences
      }),
    ),
  )
