// Compares tables with those of another database file, to the last bit.
import * as Effect from "effect/Effect"
import { allColumns, type Table, tableName } from "../domain/table.ts"
import { databaseFile } from "./storage/duckdbFile.ts"
import { storedTables } from "./ddl.ts"
import type { Row } from "./readRows.ts"
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
export const withAttached = <A, E, R>(otherDataDir: string, work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Warehouse, ({ rows }) =>
    Effect.acquireUseRelease(
      rows(`ATTACH ${literal(databaseFile(otherDataDir))} AS ${OTHER} (READ_ONLY)`),
      () => work,
      () => Effect.ignore(rows(`DETACH ${OTHER}`)),
    ),
  )

/** With the other file attached: each stored table, and whether it is the same. */
export const compared = Effect.fnUntraced(function* (tables: ReadonlyArray<Table>) {
  const { rows } = yield* Warehouse
  const comparisons: Array<readonly [Table, Comparison]> = []
  for (const table of tables.flatMap(storedTables)) {
    const [own] = yield* rows(fingerprint(CATALOG, table))
    const [other] = yield* rows(fingerprint(OTHER, table))
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
})

const onlyIn = (table: Table, catalog: string, other: string) =>
  Effect.flatMap(Warehouse, ({ rows }) =>
    rows(
      `${rowsIn(catalog, table)} EXCEPT ALL ${rowsIn(other, table)}
       ORDER BY ${identifiers(table.key)} LIMIT ${MAX_EXAMPLES}`,
    ),
  )

/** Compares `tables` with those in `otherDataDir`, with a few rows of what differs. Changes nothing. */
export const compareTables = (tables: ReadonlyArray<Table>, otherDataDir: string) =>
  withAttached(
    otherDataDir,
    Effect.gen(function* () {
      const differences: Array<Difference> = []
      for (const [table, comparison] of yield* compared(tables)) {
        const { isSame } = comparison
        differences.push({
          ...comparison,
          onlyHere: isSame ? [] : yield* onlyIn(table, CATALOG, OTHER),
          onlyThere: isSame ? [] : yield* onlyIn(table, OTHER, CATALOG),
        })
      }
      return differences
    }),
  )
