// Copies every row of a warehouse between two databases that are attached to one connection, and compares them.
import type { DuckDBConnection } from "@duckdb/node-api"
import { allColumns, type Table, tableName } from "../domain/table.ts"
import { LoadError } from "./errors.ts"
import { identifiers, inCatalog } from "./sql.ts"

export interface CopiedTable {
  readonly table: string
  readonly rows: number
}

const columnsOf = (table: Table): string => identifiers(allColumns(table).map(({ name }) => name))

/** Replaces all rows of `to` by those of `from`, in their order if the connection has one thread. */
export const copyTables = async (
  connection: DuckDBConnection,
  from: string,
  to: string,
  tables: ReadonlyArray<Table>,
): Promise<void> => {
  for (const table of tables) {
    const target = inCatalog(to, table)
    const columns = columnsOf(table)
    await connection.run(`DELETE FROM ${target}`)
    await connection.run(
      `INSERT INTO ${target} (${columns}) SELECT ${columns} FROM ${inCatalog(from, table)}`,
    )
  }
}

/** The first table with rows in it. */
export const tableWithRows = async (
  connection: DuckDBConnection,
  catalog: string,
  tables: ReadonlyArray<Table>,
): Promise<CopiedTable | undefined> => {
  for (const table of tables) {
    const [rows = 0] = await numbers(
      connection,
      `SELECT count(*)::BIGINT FROM ${inCatalog(catalog, table)}`,
    )
    if (rows > 0) return { table: tableName(table), rows }
  }
  return undefined
}

/**
 * Compares every row, by the number of rows and the sum of a 64-bit hash over all columns of each, which is the same
 * in any order and takes no memory. Rejects if a table differs, with the numbers of rows that only one side has.
 */
export const compareRows = async (
  connection: DuckDBConnection,
  one: string,
  other: string,
  tables: ReadonlyArray<Table>,
): Promise<ReadonlyArray<CopiedTable>> => {
  const compared: Array<CopiedTable> = []
  for (const table of tables) {
    const content = async (catalog: string) => {
      const found = await connection.runAndReadAll(
        `SELECT count(*)::BIGINT, coalesce(sum(hash(${columnsOf(table)})::HUGEINT), 0)
         FROM ${inCatalog(catalog, table)}`,
      )
      return found.getRows()[0] ?? []
    }
    const [rows, hash] = await content(one)
    const [otherRows, otherHash] = await content(other)
    if (rows !== otherRows || hash !== otherHash)
      throw await difference(connection, one, other, table)
    compared.push({ table: tableName(table), rows: Number(rows) })
  }
  return compared
}

const difference = async (
  connection: DuckDBConnection,
  one: string,
  other: string,
  table: Table,
): Promise<LoadError> => {
  const columns = columnsOf(table)
  const only = async (has: string, lacks: string) => {
    const [count = 0] = await numbers(
      connection,
      `SELECT count(*)::BIGINT FROM (SELECT ${columns} FROM ${inCatalog(has, table)}
         EXCEPT ALL SELECT ${columns} FROM ${inCatalog(lacks, table)})`,
    )
    return count
  }
  return new LoadError({
    reason: "Database",
    what: `Comparing ${tableName(table)} with what was moved`,
    why: `${await only(one, other)} rows are only in the old warehouse, and ${await only(other, one)} only in the new one`,
    advice: "Nothing was moved. Please report this.",
  })
}

const numbers = async (connection: DuckDBConnection, sql: string): Promise<ReadonlyArray<number>> =>
  (await connection.runAndReadAll(sql)).getRows().flat().map(Number)
