// Exports the tables, and the marts if wanted, as Parquet: a file for each month of event time that changed, under a
// name of its own. See docs/decisions/0004-duckdb-writes-parquet.md and 0020-immutable-parquet-files.md.
import { stat } from "node:fs/promises"
import { join } from "node:path"
import type { DuckDBConnection } from "@duckdb/node-api"
import type { Table } from "../../../domain/table/table.ts"
import { putInPlace, sha256Of } from "../../../domain/durableFiles.ts"
import { type Manifest, type ManifestFile, parquetDirectory, readManifest } from "./manifest.ts"
import {
  exportableTable,
  fullName,
  layoutOf,
  type ParquetOptions,
  type FileContent,
  type Stamp,
  writeRows,
} from "./parquetFile.ts"
import { isBetween } from "../../tables/months.ts"
import { readChanges } from "../../tables/partitionChanges.ts"
import {
  asideFolder,
  clearAside,
  filePath,
  makePublication,
  removeNeverCurrent,
} from "./parquetFolder.ts"
import { giveAccess, type PublishedAccess } from "../publishedAccess.ts"
import { readRows } from "../../duckdb/readRows.ts"
import { identifier, qualified } from "../../sql/sql.ts"
import { partitionChanges } from "../../tables/ops/partition_changes.ts"

export interface ExportRequest {
  readonly connection: DuckDBConnection
  readonly dataDir: string
  readonly tables: ReadonlyArray<Table>
  readonly options: ParquetOptions
  readonly stamp: Stamp
  readonly access: PublishedAccess
  /** Write every file again, whatever the manifest says of it. */
  readonly rebuildAll: boolean
}

/** Tables that describe the database itself and would be wrong in an exported file. */
const notExported: ReadonlySet<string> = new Set(["ops.partition_changes", "ops.layout"])

const isIn = ({ exportable: { time }, month }: FileContent): string =>
  month === null || time === undefined ? "true" : isBetween(identifier(time), [month, month])

/** The months of the tables, with the time of their last change as its transaction recorded it. */
const tableParts = async (
  connection: DuckDBConnection,
  tables: ReadonlyArray<Table>,
): Promise<ReadonlyArray<FileContent>> => {
  const exportables = tables.map(exportableTable).map((each) => [fullName(each), each] as const)
  const byName = new Map(exportables.filter(([name]) => !notExported.has(name)))
  const changes = await readChanges(connection, qualified(partitionChanges))
  return changes.flatMap(({ table, month = null, changedAt }) => {
    const exportable = byName.get(table)
    return exportable === undefined ? [] : [{ exportable, month, changedAt }]
  })
}

/** Everything to export. The files of the marts are read only if marts are wanted. */
const partsOf = async ({ connection, options, stamp, tables }: ExportRequest) => [
  ...(await tableParts(connection, tables)),
  ...(options.marts ? await (await import("./parquetMarts.ts")).martParts(connection, stamp) : []),
]

/** Smallest and largest event time; null if the table has none. */
const extentOf = async (connection: DuckDBConnection, part: FileContent) => {
  const { time } = part.exportable
  if (time === undefined) return { min_at: null, max_at: null }
  const [extent] = await readRows(
    connection,
    `SELECT min(${identifier(time)}) AS min_at, max(${identifier(time)}) AS max_at
     FROM ${part.exportable.source} WHERE ${isIn(part)}`,
  )
  return extent as Pick<ManifestFile, "min_at" | "max_at">
}

/** Writes one file; `undefined` when no rows are left in its month. */
const exportContent = async (
  { access, connection, dataDir, stamp }: ExportRequest,
  part: FileContent,
  layout: string,
): Promise<ManifestFile | undefined> => {
  const { exportable, month } = part
  const aside = join(asideFolder(dataDir), `${fullName(exportable)}.${month ?? "data"}`)
  const rows = await writeRows(connection, aside, exportable, isIn(part), stamp)
  if (rows === 0) return undefined
  const sha256 = await sha256Of(aside)
  const { size } = await stat(aside)
  const path = filePath(exportable, month, sha256)
  await giveAccess(aside, access)
  await putInPlace(aside, join(parquetDirectory(dataDir), path))
  return {
    path,
    schema: exportable.schema,
    table: exportable.name,
    month,
    rows,
    bytes: size,
    ...(await extentOf(connection, part)),
    sha256,
    changed_at: part.changedAt,
    layout,
  }
}

/** Whether the file has its recorded length; one that was deleted or truncated is written again. */
const isIntact = async (dataDir: string, { path, bytes }: ManifestFile): Promise<boolean> => {
  const found = await stat(join(parquetDirectory(dataDir), path)).catch(() => undefined)
  return found?.size === bytes
}

export interface Exported {
  readonly manifest: Manifest
  /** Files written by this export. */
  readonly written: number
}

/**
 * Makes the publication of the database's present state; `makeCurrent` then switches readers to it. The database says what
 * has changed and the current manifest what is exported already, so the next export completes one that was killed.
 */
export const exportParquet = async (request: ExportRequest): Promise<Exported> => {
  const { rebuildAll, dataDir, stamp } = request
  // One that can't be read is replaced if everything is made again.
  const current = await readManifest(dataDir).catch((cause: unknown) => {
    if (!rebuildAll) throw cause
    return undefined
  })
  const previous = rebuildAll ? undefined : current
  const exported = new Map(
    previous?.files.map((file) => [`${file.schema}.${file.table} ${file.month}`, file]),
  )
  await clearAside(dataDir)
  await removeNeverCurrent(dataDir, current)
  const files: Array<ManifestFile> = []
  let written = 0
  for (const part of await partsOf(request)) {
    const known = exported.get(`${fullName(part.exportable)} ${part.month}`)
    const layout = layoutOf(part.exportable)
    if (known?.changed_at === part.changedAt && known.layout === layout) {
      if (await isIntact(dataDir, known)) {
        files.push(known)
        continue
      }
    }
    const file = await exportContent(request, part, layout)
    if (file === undefined) continue
    files.push(file)
    written += 1
  }
  const manifest: Manifest = {
    version: 2,
    run_id: stamp.runId,
    published_at: stamp.publishedAt,
    files,
  }
  await makePublication(dataDir, manifest)
  return { manifest, written }
}
