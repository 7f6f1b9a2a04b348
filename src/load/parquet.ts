// Exports the tables as Parquet: history by month of event time, only months that changed, each file put in
// place whole, the manifest last. See docs/decisions/0004-duckdb-writes-parquet.md.
import { createHash } from "node:crypto"
import { mkdir, readdir, rm, stat } from "node:fs/promises"
import { join, sep } from "node:path"
import type { DuckDBConnection } from "@duckdb/node-api"
import { allColumns, storedKey, type Table, tableName } from "../domain/table.ts"
import { decodeRow, number, text } from "./decodeRow.ts"
import { columnComment, tableComment } from "./ddl.ts"
import { putInPlace, sha256Of } from "./durableFiles.ts"
import {
  type Manifest,
  manifestFile,
  type ManifestFile,
  parquetDirectory,
  readManifest,
  writeManifest,
} from "./manifest.ts"
import { giveAccess, type PublishedAccess } from "./publishedAccess.ts"
import { readRows } from "./readRows.ts"
import { CATALOG, identifier, literal, qualified } from "./sql.ts"

export interface ParquetOptions {
  readonly compression: "zstd" | "snappy"
  /** For readers that stumble over TIMESTAMP (parquetjs-lite): snappy, instants as ISO-8601 text. */
  readonly plain: boolean
}

export const defaultParquet: ParquetOptions = { compression: "zstd", plain: false }

export interface Stamp {
  readonly runId: string
  /** As-of time, ISO-8601 UTC. */
  readonly publishedAt: string
}

export interface ExportRequest {
  readonly connection: DuckDBConnection
  readonly dataDir: string
  readonly tables: ReadonlyArray<Table>
  readonly options: ParquetOptions
  readonly stamp: Stamp
  readonly access: PublishedAccess
}

interface Part {
  readonly table: Table
  readonly month: string | null
  readonly changedAt: number
}

/** What the database records about its own files, which a file of it would contradict. */
const notExported: ReadonlySet<string> = new Set(["ops.partition_changes", "ops.layout"])

const isExported = (table: Table): boolean => !notExported.has(tableName(table))

const pathOf = ({ table, month }: Part): string =>
  [table.schema, table.name, ...(month === null ? [] : [`month=${month}`]), "data.parquet"].join(
    "/",
  )

const selectList = (table: Table, { plain }: ParquetOptions): string =>
  allColumns(table)
    .map(({ name, type }) => {
      const column = identifier(name)
      if (plain && type === "timestamp") {
        return `strftime(${column}, '%Y-%m-%dT%H:%M:%S.%fZ') AS ${column}`
      }
      // As Parquet's JSON type, readers in JavaScript would parse it and round large integers.
      return type === "json" ? `${column}::VARCHAR AS ${column}` : column
    })
    .join(", ")

/** The vault first, then time: one vault's history lies together and readers skip the rest. */
const sortOrder = (table: Table): string => {
  const key = storedKey(table)
  const rank = (name: string) => (name === "vault_address" ? 0 : name === table.time ? 1 : 2)
  return key
    .toSorted((left, right) => rank(left) - rank(right))
    .map(identifier)
    .join(", ")
}

const isIn = ({ table, month }: Part): string => {
  if (month === null || table.time === undefined) return "true"
  const time = identifier(table.time)
  return `${time} >= DATE '${month}-01' AND ${time} < DATE '${month}-01' + INTERVAL 1 MONTH`
}

const encoding = ({ compression, plain }: ParquetOptions): string =>
  `FORMAT parquet, COMPRESSION ${plain ? "snappy" : compression}, PARQUET_VERSION V1`

const layoutOf = (table: Table, options: ParquetOptions): string =>
  createHash("sha256")
    .update(
      JSON.stringify([
        encoding(options),
        selectList(table, options),
        sortOrder(table),
        table.time ?? null,
        tableComment(table),
        allColumns(table).map((column) => [column.type, columnComment(table, column)]),
      ]),
    )
    .digest("hex")
    .slice(0, 16)

/** CREATE TABLE AS and Parquet lose comments, so they travel as key-value metadata. */
const metadata = (table: Table, { runId, publishedAt }: Stamp): string => {
  const columns = Object.fromEntries(
    allColumns(table).map((column) => [column.name, columnComment(table, column)]),
  )
  const entries = {
    table: tableName(table),
    comment: tableComment(table),
    columns: JSON.stringify(columns),
    run_id: runId,
    published_at: publishedAt,
  }
  return Object.entries(entries)
    .map(([name, value]) => `${literal(name)}: ${literal(value)}`)
    .join(", ")
}

const decodeChange = decodeRow({
  name: text("name"),
  month: text("month"),
  changedAt: number("changed_at"),
})

/** Everything there is to export, as the transactions that changed it recorded. */
const partsOf = async (
  connection: DuckDBConnection,
  tables: ReadonlyArray<Table>,
): Promise<ReadonlyArray<Part>> => {
  const byName = new Map(tables.filter(isExported).map((table) => [tableName(table), table]))
  const changes = await readRows(
    connection,
    `SELECT table_schema || '.' || table_name AS name, month, epoch_us(changed_at) AS changed_at
     FROM ${CATALOG}.ops.partition_changes ORDER BY ALL`,
  )
  return changes.map(decodeChange).flatMap(({ name, month, changedAt }) => {
    const table = byName.get(name)
    return table === undefined ? [] : [{ table, month: month === "-" ? null : month, changedAt }]
  })
}

/** Writes one file and puts it in place; `undefined` when no rows are left in its month. */
const exportPart = async (
  request: ExportRequest,
  part: Part,
  layout: string,
): Promise<ManifestFile | undefined> => {
  const { connection, dataDir, options, stamp } = request
  const { table, month } = part
  const within = `FROM ${qualified(table)} WHERE ${isIn(part)}`
  const time = table.time === undefined ? "NULL" : identifier(table.time)
  const [extent] = await readRows(
    connection,
    `SELECT count(*) AS rows, min(${time}) AS min_at, max(${time}) AS max_at ${within}`,
  )
  const rows = Number(extent?.["rows"] ?? 0)
  if (rows === 0) return undefined
  const path = pathOf(part)
  const aside = join(asideDirectory(dataDir), path.replaceAll("/", "."))
  await connection.run(
    `COPY (SELECT ${selectList(table, options)} ${within} ORDER BY ${sortOrder(table)})
     TO ${literal(aside)} (${encoding(options)}, KV_METADATA {${metadata(table, stamp)}})`,
  )
  const sha256 = await sha256Of(aside)
  const { size } = await stat(aside)
  await giveAccess(aside, request.access)
  await putInPlace(aside, join(parquetDirectory(dataDir), path))
  return {
    path,
    schema: table.schema,
    table: table.name,
    month,
    rows,
    bytes: size,
    min_at: (extent?.["min_at"] ?? null) as string | null,
    max_at: (extent?.["max_at"] ?? null) as string | null,
    sha256,
    changed_at: part.changedAt,
    layout,
  }
}

// Next to the tables' folders and without the suffix, so that no glob of a reader meets it.
const asideDirectory = (dataDir: string): string => join(parquetDirectory(dataDir), ".tmp")

/** Every Parquet file there is, as manifest paths. */
export const filesThere = async (dataDir: string): Promise<ReadonlyArray<string>> => {
  const found = await readdir(parquetDirectory(dataDir), { recursive: true }).catch(() => [])
  return found
    .map((path) => path.split(sep).join("/"))
    .filter((path) => path.endsWith(".parquet") && !path.startsWith(".tmp/"))
}

/** Whether the file is still as long as it was: one that was deleted or cut short is made again. */
const isThere = async (dataDir: string, { path, bytes }: ManifestFile): Promise<boolean> => {
  const found = await stat(join(parquetDirectory(dataDir), path)).catch(() => undefined)
  return found?.size === bytes
}

export interface Exported {
  readonly manifest: Manifest
  /** Files written by this export. */
  readonly written: number
}

/**
 * Brings `<dataDir>/parquet` to the state of the database. What changed is known from the database and
 * what was exported from the manifest, so that an export killed at any moment is completed by the next.
 */
export const exportParquet = async (request: ExportRequest): Promise<Exported> => {
  const { connection, dataDir, options, stamp, tables } = request
  const previous = await readManifest(dataDir)
  const exported = new Map(previous?.files.map((file) => [file.path, file]))
  await rm(asideDirectory(dataDir), { recursive: true, force: true })
  await mkdir(asideDirectory(dataDir), { recursive: true, mode: 0o700 })
  const files: Array<ManifestFile> = []
  let written = 0
  for (const part of await partsOf(connection, tables)) {
    const known = exported.get(pathOf(part))
    const layout = layoutOf(part.table, options)
    if (known?.changed_at === part.changedAt && known.layout === layout) {
      if (await isThere(dataDir, known)) {
        files.push(known)
        continue
      }
    }
    const file = await exportPart(request, part, layout)
    if (file === undefined) continue
    files.push(file)
    written += 1
  }
  const manifest: Manifest = {
    version: 1,
    run_id: stamp.runId,
    published_at: stamp.publishedAt,
    files,
  }
  await writeManifest(dataDir, manifest)
  const kept = new Set(files.map(({ path }) => path))
  for (const path of await filesThere(dataDir)) {
    if (!kept.has(path)) await rm(join(parquetDirectory(dataDir), path), { force: true })
  }
  await rm(asideDirectory(dataDir), { recursive: true, force: true })
  return { manifest, written }
}

/** Removes an earlier export, its manifest first; answers how many files of it there were. */
export const removeExport = async (
  dataDir: string,
  tables: ReadonlyArray<Table>,
): Promise<number> => {
  const { length } = await filesThere(dataDir)
  await rm(manifestFile(dataDir), { force: true })
  for (const folder of new Set(tables.map(({ schema }) => schema))) {
    await rm(join(parquetDirectory(dataDir), folder), { recursive: true, force: true })
  }
  await rm(asideDirectory(dataDir), { recursive: true, force: true })
  return length
}
