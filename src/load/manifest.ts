// parquet/manifest.json: every exported file with what is needed to check it, written after all of them.
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import * as Schema from "effect/Schema"
import { writeDurably } from "./durableFiles.ts"
import { LoadError } from "./errors.ts"

const ManifestFile = Schema.Struct({
  /** Below `parquet/`, with forward slashes. */
  path: Schema.NonEmptyString,
  schema: Schema.NonEmptyString,
  table: Schema.NonEmptyString,
  /** Month of event time as YYYY-MM; null for a table that is not partitioned. */
  month: Schema.NullOr(Schema.NonEmptyString),
  rows: Schema.Int,
  bytes: Schema.Int,
  /** Smallest and largest event time, as ISO-8601; null without an event time. */
  min_at: Schema.NullOr(Schema.String),
  max_at: Schema.NullOr(Schema.String),
  sha256: Schema.NonEmptyString,
  /** ops.partition_changes.changed_at of what the file holds, in microseconds. */
  changed_at: Schema.Int,
  /** Columns, comments and encoding the file was written with; another value means: write again. */
  layout: Schema.NonEmptyString,
})
export type ManifestFile = typeof ManifestFile.Type

const Manifest = Schema.Struct({
  version: Schema.Literal(1),
  run_id: Schema.NonEmptyString,
  /** As-of time of everything in the export, ISO-8601 UTC. */
  published_at: Schema.NonEmptyString,
  files: Schema.Array(ManifestFile),
})
export type Manifest = typeof Manifest.Type

export const parquetDirectory = (dataDir: string): string => join(dataDir, "parquet")

export const manifestFile = (dataDir: string): string =>
  join(parquetDirectory(dataDir), "manifest.json")

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Manifest))

/** The manifest, or `undefined` when nothing was exported yet. */
export const readManifest = async (dataDir: string): Promise<Manifest | undefined> => {
  const file = manifestFile(dataDir)
  let text: string
  try {
    text = await readFile(file, "utf8")
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined
    throw cause
  }
  try {
    return decode(text)
  } catch (cause) {
    throw new LoadError({
      reason: "Files",
      what: `Reading ${file}`,
      why: "it is not a manifest this version wrote",
      advice: "Remove it and publish again: every file is then written anew.",
      cause,
    })
  }
}

export const writeManifest = (dataDir: string, manifest: Manifest): Promise<void> =>
  writeDurably(manifestFile(dataDir), `${JSON.stringify(manifest, null, 1)}\n`)
