// Moves all rows between a warehouse's file and a lake. A killed move never leaves anything that looks like a
// warehouse: the rows of a lake are written in one transaction, and a file gets its name when it is complete.
import { chmodSync, existsSync, rmSync } from "node:fs"
import type { Table } from "../domain/table.ts"
import { type CopiedTable, compareRows, copyTables, tableWithRows } from "./copyTables.ts"
import { putInPlace } from "./durableFiles.ts"
import { LoadError } from "./errors.ts"
import { type Session, transaction } from "./session.ts"
import { CATALOG, literal } from "./sql.ts"
import { layout } from "./tables/layout.ts"
import { viewFingerprints } from "./tables/view_fingerprints.ts"
import { makeEmptyWarehouse, STORAGE_VERSION } from "./template.ts"

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
  try {
    return await work()
  } finally {
    await connection.run(`DETACH ${FILE}`)
  }
}

const refused = (target: string, why: string, advice: string): LoadError =>
  new LoadError({ reason: "Files", what: `Moving the warehouse to ${target}`, why, advice })

/** `session` writes the lake; `shown` names it in messages. Nothing else may have `file` open. */
export const moveToLake = (
  session: Session,
  file: string,
  shown: string,
  tables: ReadonlyArray<Table>,
): Promise<ReadonlyArray<CopiedTable>> =>
  attached(session, file, "READ_ONLY", () =>
    transaction(session, async () => {
      const { connection } = session
      const others = tables.filter((table) => !describesItself(table))
      const found = await tableWithRows(connection, CATALOG, others)
      if (found !== undefined) {
        const why = `it is not empty: ${found.table} has rows (${found.rows})`
        throw refused(shown, why, "Nothing was changed. Name another database for the lake.")
      }
      await copyTables(connection, FILE, CATALOG, tables)
      return compareRows(connection, FILE, CATALOG, tables)
    }),
  )

/** `session` writes the lake; nothing else does meanwhile. */
export const moveToFile = async (
  session: Session,
  file: string,
  stored: ReadonlyArray<Table>,
  tables: ReadonlyArray<Table>,
): Promise<ReadonlyArray<CopiedTable>> => {
  if (existsSync(file)) {
    throw refused(file, "it already exists", "Nothing was changed. Move it away first.")
  }
  const aside = `${file}.moving`
  const { connection } = session
  for (const left of [aside, `${aside}.wal`]) rmSync(left, { force: true })
  await makeEmptyWarehouse(aside, stored)
  const compared = await session.exclusively(async (turn) => {
    await attached(session, aside, `STORAGE_VERSION ${literal(STORAGE_VERSION)}`, () =>
      copyTables(connection, CATALOG, FILE, tables),
    )
    const found = await attached(session, aside, "READ_ONLY", () =>
      compareRows(connection, CATALOG, FILE, tables),
    )
    await turn.check()
    return found
  })
  chmodSync(aside, 0o600)
  await putInPlace(aside, file)
  return compared
}
