// Compares tables with those of another database file, to the last bit.
import * as Effect from "effect/Effect"
import { allColumns, type Table, tableName, storedTables } from "../../domain/table/table.ts"
import { databaseFile } from "../storage/file/duckdbFile.ts"
import type { Row } from "../duckdb/readRows.ts"
import { CATALOG, identifiers, inCatalog, literal } from "../sql/sql.ts"
import { Warehouse } from "../Warehouse.ts"

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
   FROM ${inCatalog(catalog, table)}`

// Two checksums, because a pair of equal rows cancels out in an exclusive or.
const fingerprint = (catalog: string, table: Table): string =>
  `SELECT count(*)::DOUBLE AS rows, coalesce(sum(hash(t))::VARCHAR, '') ||
     coalesce(bit_xor(hash(t))::VARCHAR, '') AS content
   FROM (${rowsIn(catalog, table)}) t`

const name = (table: Table): string => literal(tableName(table))

/** SQL of one row that compares all rows of a table in two catalogs, in any order; it takes no memory. */
export const comparisonSql = (table: Table, one: string, other: string): string =>
  `SELECT ${name(table)} AS name, one.rows AS before, other.rows AS after,
     one.rows = other.rows AND one.content = other.content AS is_same
   FROM (${fingerprint(one, table)}) one, (${fingerprint(other, table)}) other`

export const comparisonOf = (row: Row): Comparison => ({
  table: String(row["name"]),
  rowsBefore: Number(row["before"]),
  rowsAfter: Number(row["after"]),
  isSame: row["is_same"] === true,
})

const nameIfFilled = (catalog: string, table: Table): string =>
  `(SELECT ${name(table)} AS name FROM ${inCatalog(catalog, table)} LIMIT 1)`

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
  const stored = tables.flatMap(storedTables)
  // Most tables are empty: a statement for each would take ten times as long as the others need.
  const either = stored.flatMap((table) => [
    nameIfFilled(CATALOG, table),
    nameIfFilled(OTHER, table),
  ])
  const filled = new Set((yield* rows(either.join(" UNION ALL "))).map((row) => row["name"]))
  const found = new Map<unknown, Row>()
  if (filled.size > 0) {
    const comparisons = stored
      .filter((table) => filled.has(tableName(table)))
      .map((table) => comparisonSql(table, CATALOG, OTHER))
    for (const row of yield* rows(comparisons.join(" UNION ALL "))) found.set(row["name"], row)
  }
  return stored.map((table): readonly [Table, Comparison] => {
    const empty = { name: tableName(table), before: 0, after: 0, is_same: true }
    return [table, comparisonOf(found.get(tableName(table)) ?? empty)]
  })
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
