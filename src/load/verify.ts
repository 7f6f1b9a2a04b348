// Checks what is published: every file against the manifest, and the reader copy against both.
import { stat } from "node:fs/promises"
import { join } from "node:path"
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api"
import * as Effect from "effect/Effect"
import { sha256Of } from "./durableFiles.ts"
import { filesError, type LoadError } from "./errors.ts"
import { type Finding, PUBLISHED } from "./Finding.ts"
import { type Manifest, type ManifestFile, parquetDirectory, readManifest } from "./manifest.ts"
import { filesThere } from "./parquet.ts"
import { lastReceipt, publishedFile } from "./publish.ts"
import { differingViews, viewDefinitions } from "./publishedViews.ts"
import { readRows } from "./readRows.ts"
import { literal } from "./sql.ts"
import { differingTables } from "./verifyContent.ts"

export type { Finding } from "./Finding.ts"

const sizeOf = async (path: string): Promise<number | undefined> => {
  try {
    return (await stat(path)).size
  } catch {
    return undefined
  }
}

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
  return found?.["rows"] === file.rows
    ? undefined
    : {
        kind: "rows",
        path,
        detail: `${String(found?.["rows"])} rows, the manifest says ${file.rows}`,
      }
}

const checkCopy = async (
  connection: DuckDBConnection,
  dataDir: string,
  manifest: Manifest | undefined,
): Promise<Finding | undefined> => {
  const path = PUBLISHED
  const file = publishedFile(dataDir)
  if ((await sizeOf(file)) === undefined) {
    return { kind: "missing", path, detail: "no reader copy was published" }
  }
  try {
    await connection.run(`ATTACH ${literal(file)} AS published (READ_ONLY)`)
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
    const detail = cause instanceof Error ? cause.message : String(cause)
    return { kind: "unreadable", path, detail }
  }
}

/** The receipt is written after the copy: of an earlier publication it says nothing of this one. */
const checkViews = async (
  connection: DuckDBConnection,
  dataDir: string,
): Promise<ReadonlyArray<Finding>> => {
  const receipt = await lastReceipt(dataDir)
  const path = "published/publication.json"
  if (receipt === undefined) {
    return [{ kind: "missing", path, detail: "no receipt of the copy, or none that can be read" }]
  }
  const [copy] = await readRows(
    connection,
    "SELECT run_id, published_at FROM published.ops.publications ORDER BY published_at DESC LIMIT 1",
  )
  if (receipt.run_id !== copy?.["run_id"] || receipt.published_at !== copy?.["published_at"]) {
    const detail = `of run ${receipt.run_id}, the copy of run ${String(copy?.["run_id"])}`
    return [{ kind: "stamp", path, detail }]
  }
  const { duckdb, views } = receipt
  if (duckdb === undefined || views === undefined) return []
  const found = await viewDefinitions(connection, "published")
  return differingViews({ duckdb, views }, found).map(({ name, detail }) => ({
    kind: "content",
    path: `${PUBLISHED} ${name}`,
    detail,
  }))
}

const verifyAll = async (dataDir: string): Promise<ReadonlyArray<Finding>> => {
  const findings: Array<Finding> = []
  const manifest = await readManifest(dataDir)
  const instance = await DuckDBInstance.create(":memory:")
  const connection = await instance.connect()
  try {
    await connection.run("SET TimeZone = 'UTC'")
    for (const file of manifest?.files ?? []) {
      const finding = await checkFile(connection, dataDir, file).catch((cause: unknown) => ({
        kind: "unreadable" as const,
        path: `parquet/${file.path}`,
        detail: cause instanceof Error ? cause.message : String(cause),
      }))
      if (finding !== undefined) findings.push(finding)
    }
    const listed = new Set(manifest?.files.map(({ path }) => path))
    for (const path of await filesThere(dataDir)) {
      if (!listed.has(path)) {
        const detail = `not in ${parquetDirectory(dataDir)}/manifest.json`
        findings.push({ kind: "extra", path: `parquet/${path}`, detail })
      }
    }
    const copy = await checkCopy(connection, dataDir, manifest)
    if (copy === undefined) findings.push(...(await checkViews(connection, dataDir)))
    if (copy !== undefined) findings.push(copy)
    // Tables can be compared only where every file is sound and of the same publication.
    else if (findings.length === 0 && manifest !== undefined) {
      findings.push(...(await differingTables(connection, dataDir, manifest)))
    }
    return findings
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

/** What is wrong with the published files; empty when all is well. Takes no lock and writes nothing. */
export const verify = (dataDir: string): Effect.Effect<ReadonlyArray<Finding>, LoadError> =>
  Effect.tryPromise({
    try: () => verifyAll(dataDir),
    catch: (cause) => filesError(`Verifying the files in ${dataDir}`, cause),
  })
