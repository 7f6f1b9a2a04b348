// Moves all rows between a warehouse's file and a lake. A killed move never leaves anything that looks like a
// warehouse: the rows of a lake are written in one transaction, and a file gets its name when it is complete.
import { chmodSync, existsSync, rmSync } from "node:fs"
import type { DuckDBConnection } from "@duckdb/node-api"
import { type Table, tableName } from "../../domain/table/table.ts"
import { comparisonOf, comparisonSql } from "./compareTables.ts"
import { copyRows } from "../duckdb/copyRows.ts"
import { foreignSql } from "../duckdb/confine.ts"
import { putInPlace } from "../../domain/durableFiles.ts"
import { isOfCatalog, LoadError, REBUILD } from "../errors.ts"
import { readRows } from "../duckdb/readRows.ts"
import type { Session } from "../commit/session.ts"
import { transaction } from "../duckdb/transaction.ts"
import { CATALOG, inCatalog, literal } from "../sql/sql.ts"
import { layout } from "../tables/ops/layout.ts"
import { viewFingerprints } from "../tables/ops/view_fingerprints.ts"
import { movingFile } from "../leftovers.ts"
import { leftWithout } from "../storage/file/duckdbFile.ts"
import { makeEmptyWarehouse, STORAGE_VERSION, WITHOUT_LOG } from "../storage/template.ts"
import { undoing } from "../duckdb/undoing.ts"

/** The name of the file while it is attached; the lake is `CATALOG`. */
const FILE = "warehouse_file"

/** Whether the table describes the warehouse itself, so that it has rows even without data. */
const describesItself = (table: Table): boolean =>
  table.schema === "meta" || table === layout || table === viewFingerprints

const attached = async <A>(
  { connection }: Session,
  file: string,
  options: string,
  work: () => Promise<A>,
): Promise<A> => {
  await connection.run(`ATTACH ${literal(file)} AS ${FILE} (${options})`)
  return undoing(() => connection.run(`DETACH ${FILE}`), work)
}

const refused = (target: string, why: string, advice: string): LoadError =>
  new LoadError({ reason: "Files", what: `Moving the warehouse to ${target}`, why, advice })

/** Reads the file, which the lake's connection can't be confined for: others may have put SQL into it, such as in a backup. */
const reading = <A>(
  session: Session,
  file: string,
  target: string,
  tables: ReadonlyArray<Table>,
  work: () => Promise<A>,
): Promise<A> =>
  attached(session, file, "READ_ONLY", async () => {
    const changed = await foreignSql(session.connection, FILE, tables)
    if (changed === undefined) return work()
    throw refused(
      target,
      `${changed} in ${file} is a view or has computed columns, so somebody has changed the file`,
      `Nothing was moved. Restore a backup that you trust. If there is none: ${REBUILD}`,
    )
  })

export interface CopiedTable {
  readonly table: string
  readonly rows: number
}

/** Compares every row. Rejects if a table differs. */
const compareRows = async (
  connection: DuckDBConnection,
  from: string,
  to: string,
  tables: ReadonlyArray<Table>,
): Promise<ReadonlyArray<CopiedTable>> => {
  const copied: Array<CopiedTable> = []
  for (const each of tables) {
    const [row = {}] = await readRows(connection, comparisonSql(each, from, to))
    const { table, rowsBefore, rowsAfter, isSame } = comparisonOf(row)
    if (!isSame) {
      throw new LoadError({
        reason: "Database",
        what: `Comparing ${table} with what was moved`,
        why: `its ${rowsBefore} rows are not the ${rowsAfter} of the new warehouse`,
        advice: "Nothing was moved. Please report this.",
      })
    }
    copied.push({ table, rows: rowsAfter })
  }
  return copied
}

/** What an earlier move has made that was over but could not say so; `undefined` where the rows differ or can't be read. */
const madeBefore = (compared: Promise<ReadonlyArray<CopiedTable>>) =>
  compared.catch((cause: unknown) => {
    if (isOfCatalog(cause)) throw cause
    return undefined
  })

/** `session` writes the lake; `shown` names it in messages. Nothing else may have `file` open. */
export const moveToLake = (
  session: Session,
  file: string,
  shown: string,
  tables: ReadonlyArray<Table>,
): Promise<ReadonlyArray<CopiedTable>> =>
  reading(session, file, shown, tables, () =>
    transaction(session, async () => {
      const { connection } = session
      const compared = () => compareRows(connection, FILE, CATALOG, tables)
      for (const table of tables.filter((each) => !describesItself(each))) {
        const sql = `SELECT 1 FROM ${inCatalog(CATALOG, table)} LIMIT 1`
        if ((await readRows(connection, sql)).length === 0) continue
        const moved = await madeBefore(compared())
        if (moved !== undefined) return moved
        const why = `it is not empty: ${tableName(table)} has rows`
        throw refused(shown, why, "Nothing was changed. Name another database for the lake.")
      }
      for (const table of tables) await copyRows(connection, table, FILE, CATALOG)
      return compared()
    }),
  )

/** `session` writes the lake; nothing else does meanwhile. */
export const moveToFile = async (
  session: Session,
  file: string,
  stored: ReadonlyArray<Table>,
  tables: ReadonlyArray<Table>,
): Promise<ReadonlyArray<CopiedTable>> => {
  const compared = (name: string) =>
    reading(session, name, file, tables, () =>
      compareRows(session.connection, CATALOG, FILE, tables),
    )
  if (existsSync(file)) {
    const moved = await madeBefore(session.exclusively(() => compared(file)))
    if (moved !== undefined) return moved
    throw refused(
      file,
      "it already exists",
      `Nothing was changed. Move it away first, with ${file}.wal and ${file}.doublewrite if they exist.`,
    )
  }
  const inTheWay = leftWithout(file)
  if (inTheWay !== undefined) throw refused(file, `there is ${inTheWay.found}`, inTheWay.advice)
  const aside = movingFile(file)
  const { connection } = session
  for (const left of [aside, `${aside}.wal`]) rmSync(left, { force: true })
  await makeEmptyWarehouse(aside, stored)
  const found = await session.exclusively(async (turn) => {
    await attached(
      session,
      aside,
      `STORAGE_VERSION ${literal(STORAGE_VERSION)}, ${WITHOUT_LOG}`,
      async () => {
        for (const table of tables) await copyRows(connection, table, CATALOG, FILE)
      },
    )
    const rows = await compared(aside)
    await turn.beforeCommit()
    return rows
  })
  chmodSync(aside, 0o600)
  await putInPlace(aside, file)
  return found
}
