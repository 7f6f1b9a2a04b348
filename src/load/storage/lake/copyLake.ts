// A lake's copy for readers, as one DuckDB file: made from the previous copy, or table by table from vaulthouse's own
// DDL, because COPY FROM DATABASE would lose comments and break marts.
import { constants } from "node:fs"
import { chmod, copyFile, rm } from "node:fs/promises"
import type { DuckDBConnection } from "@duckdb/node-api"
import { type Table, storedTables } from "../../../domain/table/table.ts"
import { createMarts } from "../../marts/createMarts.ts"
import { confine, foreignSql, disableAutoload } from "../../duckdb/confine.ts"
import { type Connections, openConnections } from "../../duckdb/connections.ts"
import { creationScript, fingerprintOf, storedFingerprint } from "../../tables/warehouseLayout.ts"
import { alone } from "../../duckdb/transaction.ts"
import { CATALOG, literal } from "../../sql/sql.ts"
import { copyTemplate, STORAGE_VERSION, WITHOUT_LOG } from "../template.ts"
import { writtenFolders } from "../file/duckdbFile.ts"
import { updateCopy } from "./updateCopy.ts"
import { GOES_ON } from "./attachLake.ts"
import type { Copying, OpenOptions } from "../Storage.ts"

export interface LakeToCopy {
  readonly options: OpenOptions
  /** Folder for what does not fit into memory. */
  readonly spill: string
  /** The tables that the lake was opened with. */
  readonly tables: ReadonlyArray<Table>
  /** Attaches the lake as it was at one moment. */
  readonly attach: (connection: DuckDBConnection, catalog: string) => Promise<void>
}

const LAKE = "lake"

export const copyLake = async <A>(lake: LakeToCopy, copying: Copying<A>): Promise<A> => {
  const { file, previous } = copying
  const open = () =>
    openConnections(
      lake.options,
      lake.spill,
      async (connection) => {
        await disableAutoload(connection)
        await connection.run(
          `ATTACH ${literal(file)} AS ${CATALOG} (STORAGE_VERSION ${literal(STORAGE_VERSION)}, ${WITHOUT_LOG})`,
        )
      },
      GOES_ON,
    )
  if (previous !== undefined) {
    await copyFile(previous, file, constants.COPYFILE_FICLONE)
    // If the earlier copy is damaged or has SQL of others, the new one is made from all rows.
    const opened = await open().catch(() => undefined)
    if (opened !== undefined && (await isUsable(lake, opened.writer).catch(() => false))) {
      return fill(lake, copying, opened, false)
    }
    await opened?.close()
    await rm(file)
  }
  await copyTemplate(file, lake.tables)
  const opened = await open()
  if ((await storedFingerprint(opened.writer)) === undefined) {
    await opened.writer.run(creationScript(lake.tables))
  }
  return fill(lake, copying, opened, true)
}

/** Checked before anything of the copy is read, which is not confined until the lake's rows are in it. */
const isUsable = async ({ tables }: LakeToCopy, copy: DuckDBConnection): Promise<boolean> => {
  const stored = tables.flatMap(storedTables)
  const foreign = await foreignSql(copy, CATALOG, stored, ["mart", "meta"])
  return foreign === undefined && (await storedFingerprint(copy)) === fingerprintOf(tables)
}

const fill = async <A>(
  lake: LakeToCopy,
  { complete, file }: Copying<A>,
  { close, writer }: Connections,
  isWhole: boolean,
): Promise<A> => {
  const tables = lake.tables.flatMap(storedTables)
  try {
    await chmod(file, 0o600)
    await lake.attach(writer, LAKE)
    await updateCopy({ connection: writer, tables, source: LAKE, isWhole })
    await writer.run(`DETACH ${LAKE}`)
    // The marts of the copy that this one was made from may be of others.
    await confine(writer, writtenFolders(lake.options.dataDir))
    await createMarts(alone(writer), tables)
    const result = await complete(writer)
    await writer.run(`CHECKPOINT ${CATALOG}`)
    return result
  } finally {
    await close()
  }
}
