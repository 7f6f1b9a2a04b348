// Checks what is published: every file against the manifest, and the reader copy against both.
import { lstat, readdir, readlink } from "node:fs/promises"
import { join } from "node:path"
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api"
import * as Effect from "effect/Effect"
import { isPlainPath, regularFileSize } from "../../../domain/regularFile.ts"
import { sha256Of } from "../../../domain/durableFiles.ts"
import { filesError, type LoadError } from "../../errors.ts"
import type { Finding } from "../../../domain/run/finding.ts"
import { causeMessage } from "../../../domain/values/causeMessage.ts"
import {
  MANIFEST,
  type Manifest,
  type ManifestFile,
  parquetDirectory,
  readManifest,
} from "../parquet/manifest.ts"
import { currentFiles, linkPath } from "../parquet/parquetFolder.ts"
import { CURRENT, foreignLogs, isCopyUnchanged, readCurrent } from "../publishedFiles.ts"
import { publishedDirectory, publishedFile } from "../read/PublishedCopy.ts"
import { differingViews, viewDefinitions } from "../publishedViews.ts"
import { attachConfined } from "../../duckdb/confine.ts"
import { readRows } from "../../duckdb/readRows.ts"
import { literal } from "../../sql/sql.ts"
import { differingTables, PUBLISHED } from "./verifyContent.ts"

const CURRENT_PARQUET = "parquet/current"

/** Throws for anything but a regular file: reading a pipe or a device need not end. */
const sizeOf = (path: string): Promise<number | undefined> =>
  regularFileSize(path).catch((cause: unknown) => {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined
    throw cause
  })

const checkFile = async (
  connection: DuckDBConnection,
  dataDir: string,
  file: ManifestFile,
): Promise<Finding | undefined> => {
  const path = `parquet/${file.path}`
  const whole = join(dataDir, "parquet", file.path)
  const size = await sizeOf(whole)
  if (size === undefined) return { kind: "missing", path, detail: "listed, but not there" }
  if (size !== file.bytes) {
    return { kind: "size", path, detail: `${size} bytes, the manifest says ${file.bytes}` }
  }
  if ((await sha256Of(whole)) !== file.sha256) {
    return { kind: "checksum", path, detail: "the content is not what was exported" }
  }
  const [found] = await readRows(
    connection,
    `SELECT num_rows AS rows FROM parquet_file_metadata(${literal(whole)})`,
  )
  if (found?.["rows"] !== file.rows) {
    const detail = `${String(found?.["rows"])} rows, the manifest says ${file.rows}`
    return { kind: "rows", path, detail }
  }
  return checkLink(dataDir, file)
}

/** Checks that readers open the listed file, or a copy of it if the file system does not support links. */
const checkLink = async (dataDir: string, file: ManifestFile): Promise<Finding | undefined> => {
  const path = `${CURRENT_PARQUET}/${linkPath(file.path)}`
  const [link, listed] = await Promise.all(
    [path, `parquet/${file.path}`].map((each) => lstat(join(dataDir, each)).catch(() => undefined)),
  )
  if (link === undefined) return { kind: "missing", path, detail: "listed, but not there" }
  if (!link.isFile()) return { kind: "unreadable", path, detail: "it is not a regular file" }
  const isSame =
    (link.ino === listed?.ino && link.dev === listed.dev) ||
    (await sha256Of(join(dataDir, path))) === file.sha256
  return isSame ? undefined : { kind: "checksum", path, detail: `it is not parquet/${file.path}` }
}

/** Finds files without a manifest, as left by an interrupted export. */
const checkManifest = async (
  dataDir: string,
  manifest: Manifest | undefined,
): Promise<Finding | undefined> => {
  const there = await readdir(parquetDirectory(dataDir)).catch(() => [])
  if (manifest !== undefined || there.length === 0) return undefined
  const path = `${CURRENT_PARQUET}/${MANIFEST}`
  return { kind: "missing", path, detail: "there are files in parquet, but no manifest" }
}

/** Files that a glob would read although they are not listed. */
const extraFiles = async (
  dataDir: string,
  manifest: Manifest | undefined,
): Promise<ReadonlyArray<Finding>> => {
  const listed = new Set(manifest?.files.map(({ path }) => linkPath(path)))
  return (await currentFiles(dataDir))
    .filter((path) => !listed.has(path))
    .map((path) => ({
      kind: "extra",
      path: `${CURRENT_PARQUET}/${path}`,
      detail: `not in ${CURRENT_PARQUET}/${MANIFEST}`,
    }))
}

/** DuckDB applies them for those who open the copy. */
const checkLogs = async (dataDir: string): Promise<ReadonlyArray<Finding>> =>
  (await foreignLogs(dataDir).catch(() => [])).map((name) => ({
    kind: "extra",
    path: `published/${name}`,
    detail:
      "somebody has opened the copy to write, and anyone who opens it in DuckDB gets what they changed",
  }))

const checkCopy = async (
  connection: DuckDBConnection,
  dataDir: string,
  manifest: Manifest | undefined,
): Promise<Finding | undefined> => {
  const path = PUBLISHED
  const file = publishedFile(dataDir)
  try {
    if ((await sizeOf(file)) === undefined) {
      return { kind: "missing", path, detail: "there is no published copy" }
    }
    await attachConfined(connection, file, "published", [parquetDirectory(dataDir)])
    const [newest] = await readRows(
      connection,
      "SELECT run_id, published_at FROM published.ops.publications ORDER BY published_at DESC LIMIT 1",
    )
    const copy = `run ${String(newest?.["run_id"])} as of ${String(newest?.["published_at"])}`
    if (manifest === undefined) return undefined
    const listed = `run ${manifest.run_id} as of ${manifest.published_at}`
    return copy === listed
      ? undefined
      : { kind: "stamp", path, detail: `of ${copy}, the manifest of ${listed}` }
  } catch (cause) {
    return { kind: "unreadable", path, detail: causeMessage(cause) }
  }
}

/** current.json is written after the copy; if it is of an earlier publication, it can't be compared with this one. */
const checkViews = async (
  connection: DuckDBConnection,
  dataDir: string,
): Promise<ReadonlyArray<Finding>> => {
  const current = await readCurrent(dataDir)
  const path = `published/${CURRENT}`
  if (current === undefined) {
    return [{ kind: "missing", path, detail: "it is not there, or can't be read" }]
  }
  const [copy] = await readRows(
    connection,
    "SELECT run_id, published_at FROM published.ops.publications ORDER BY published_at DESC LIMIT 1",
  )
  if (current.run_id !== copy?.["run_id"] || current.published_at !== copy?.["published_at"]) {
    const detail = `of run ${current.run_id}, the copy of run ${String(copy?.["run_id"])}`
    return [{ kind: "stamp", path, detail }]
  }
  if ((await sizeOf(join(publishedDirectory(dataDir), current.file))) === undefined) {
    return [{ kind: "missing", path: `published/${current.file}`, detail: `${path} names it` }]
  }
  const found = await viewDefinitions(connection, "published")
  return differingViews(current, found).map(({ name, detail }) => ({
    kind: "content",
    path: `${PUBLISHED} ${name}`,
    detail,
  }))
}

/** Rows of stored marts, and of tables without Parquet files, have nothing that they could be compared with. */
const checkUnchanged = async (dataDir: string): Promise<Finding | undefined> => {
  const current = await readCurrent(dataDir)
  if (current === undefined || (await isCopyUnchanged(dataDir, current))) return undefined
  const detail =
    "somebody has written to it since it was published; `vaulthouse publish` makes it again"
  return { kind: "content", path: PUBLISHED, detail }
}

/** The files of each table without findings. Marts are left out, because their rows may depend on the time. */
const soundTables = (
  manifest: Manifest | undefined,
  findings: ReadonlyArray<Finding>,
): ReadonlyMap<string, ReadonlyArray<ManifestFile>> => {
  const faulty = new Set(findings.map(({ path }) => path))
  const ofTables = manifest?.files.filter(({ schema }) => schema !== "mart") ?? []
  const byTable = Map.groupBy(ofTables, ({ schema, table }) => `${schema}.${table}`)
  return new Map(
    [...byTable].filter(([, files]) => !files.some(({ path }) => faulty.has(`parquet/${path}`))),
  )
}

/** Readers follow `parquet/current`: it must lead to a publication next to it, and nowhere else. */
const checkCurrent = async (dataDir: string): Promise<Finding | undefined> => {
  const link = join(dataDir, CURRENT_PARQUET)
  // Without links it is a folder, and without Parquet files it is missing.
  const target = await readlink(link).catch(() => undefined)
  return target === undefined || isPlainPath(target)
    ? undefined
    : {
        kind: "unreadable",
        path: CURRENT_PARQUET,
        detail: `it leads out of parquet/, to ${target}`,
      }
}

const verifyAll = async (dataDir: string): Promise<ReadonlyArray<Finding>> => {
  const findings: Array<Finding> = []
  const elsewhere = await checkCurrent(dataDir)
  if (elsewhere !== undefined) return [elsewhere]
  const manifest = await readManifest(dataDir).catch((cause: unknown) => {
    findings.push({
      kind: "unreadable",
      path: `${CURRENT_PARQUET}/${MANIFEST}`,
      detail: causeMessage(cause),
    })
    return undefined
  })
  const instance = await DuckDBInstance.create(":memory:")
  const connection = await instance.connect()
  try {
    await connection.run("SET TimeZone = 'UTC'")
    for (const file of manifest?.files ?? []) {
      const finding = await checkFile(connection, dataDir, file).catch((cause: unknown) => ({
        kind: "unreadable" as const,
        path: `parquet/${file.path}`,
        detail: causeMessage(cause),
      }))
      if (finding !== undefined) findings.push(finding)
    }
    // It is unknown what an unreadable manifest lists.
    const isLost = manifest === undefined && findings.length > 0
    if (!isLost) {
      const lost = await checkManifest(dataDir, manifest)
      if (lost !== undefined) findings.push(lost)
      for (const extra of await extraFiles(dataDir, manifest)) findings.push(extra)
    }
    findings.push(...(await checkLogs(dataDir)))
    const copy = await checkCopy(connection, dataDir, manifest)
    if (copy !== undefined) findings.push(copy)
    if (copy === undefined || copy.kind === "stamp") {
      const sound = copy === undefined ? soundTables(manifest, findings) : new Map()
      findings.push(...(await differingTables(connection, dataDir, sound)))
    }
    if (copy === undefined) {
      findings.push(
        ...(await checkViews(connection, dataDir).catch((cause: unknown) => [
          { kind: "unreadable" as const, path: PUBLISHED, detail: causeMessage(cause) },
        ])),
      )
      // What names the table or view says more.
      const isNamed = findings.some(({ path }) => path.startsWith("published/"))
      const changed = isNamed ? undefined : await checkUnchanged(dataDir)
      if (changed !== undefined) findings.push(changed)
    }
    return findings
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

/** What is wrong with the published files; empty if nothing is. Takes no lock and writes nothing. */
export const verify = (dataDir: string): Effect.Effect<ReadonlyArray<Finding>, LoadError> =>
  Effect.tryPromise({
    try: () => verifyAll(dataDir),
    catch: (cause) => filesError(`Verifying the files in ${dataDir}`, cause),
  })
