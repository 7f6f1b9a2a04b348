// manifest.json of a Parquet publication: all of its files, with what is needed to check them.
import { join } from "node:path"
import * as Schema from "effect/Schema"
import { isPlainPath, readRegularText } from "../../../domain/regularFile.ts"
import { LoadError } from "../../errors.ts"

const ManifestFile = Schema.Struct({
  /** `files/<schema>/<table>/<name>` below `parquet/`, with forward slashes; never used for another content. */
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
  version: Schema.Literal(2),
  run_id: Schema.NonEmptyString,
  /** As-of time of everything in the export, ISO-8601 UTC. */
  published_at: Schema.NonEmptyString,
  files: Schema.Array(ManifestFile),
})
export type Manifest = typeof Manifest.Type

export const parquetDirectory = (dataDir: string): string => join(dataDir, "parquet")

export const MANIFEST = "manifest.json"

/** The manifest of the current publication. */
export const manifestFile = (dataDir: string): string =>
  join(parquetDirectory(dataDir), "current", MANIFEST)

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Manifest))

/** The manifest of the current publication, or `undefined` when nothing was exported yet. */
export const readManifest = async (dataDir: string): Promise<Manifest | undefined> => {
  const file = manifestFile(dataDir)
  let text: string
  try {
    text = await readRegularText(file)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined
    throw cause
  }
  try {
    const manifest = decode(text)
    const strange = manifest.files.find(({ path }) => !isPlainPath(path))
    if (strange !== undefined) throw new Error(`${strange.path} is not a plain relative path`)
    return manifest
  } catch (cause) {
    throw new LoadError({
      reason: "Files",
      what: `Reading ${file}`,
      why: "it is not a manifest this version wrote",
      advice: "Remove `parquet/current` and publish again: every file is then written again.",
      cause,
    })
  }
}
