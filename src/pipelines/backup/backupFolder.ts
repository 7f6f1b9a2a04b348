// The folder of a backup: its list of files in `backup.json`, how it is read and checked, and how files are copied into it
// and out of it.
import { constants } from "node:fs"
import { chmod, copyFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import * as Data from "effect/Data"
import * as Schema from "effect/Schema"
import { SEGMENT_SUFFIX } from "../../archive/segments.ts"
import { flush, makeFolder } from "../../domain/flush.ts"
import { readRegularText, regularFileSize, regularSizeBelow } from "../../domain/regularFile.ts"
import { stoppable } from "../../domain/run/stoppable.ts"
import { isInObjectStore } from "../../domain/stores/objectStore.ts"
import { causeMessage } from "../../domain/values/causeMessage.ts"
import { sha256Of } from "../../domain/durableFiles.ts"
import { CURRENT, isCopy, readCurrent } from "../../load/published/publishedFiles.ts"
import { archiveFolder } from "../publication/archiveOf.ts"
import type { Place } from "../publication/warehouse.ts"

export class BackupError extends Data.TaggedError("BackupError")<{
  readonly why: string
  readonly advice: string
  readonly cause?: unknown
}> {
  override get message(): string {
    return `${this.why}\n${this.advice}`
  }
}

const BackupFile = Schema.Struct({
  /** Below the backup, with forward slashes: a published copy, its current.json, or a segment. */
  path: Schema.NonEmptyString,
  bytes: Schema.Int,
  sha256: Schema.NonEmptyString,
})

const Backup = Schema.Struct({
  format: Schema.Literal(1),
  created_at: Schema.NonEmptyString,
  /** When the copy in it was published; 1.0.0 did not say. */
  published_at: Schema.optionalKey(Schema.NonEmptyString),
  files: Schema.Array(BackupFile),
})
export type Backup = typeof Backup.Type

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Backup))

export const PUBLISHED = `published/${CURRENT}`

export const manifestOf = (folder: string): string => join(folder, "backup.json")

export const attempt = <A>(what: string, advice: string, work: (stop: AbortSignal) => Promise<A>) =>
  stoppable({
    try: work,
    catch: (cause) =>
      cause instanceof BackupError
        ? cause
        : new BackupError({
            why: `${what}: ${causeMessage(cause)}.`,
            advice,
            cause,
          }),
  })

/**
 * Clones the file where the file system can (instant, no space), else copies it; flushes it, so that a listed file is on
 * disk. Only its owner can read it, even where others may read what is published. Throws for anything but a regular
 * file, which may lead elsewhere or never end.
 */
export const copy = async (from: string, to: string): Promise<void> => {
  await regularFileSize(from)
  await makeFolder(dirname(to))
  await copyFile(from, to, constants.COPYFILE_FICLONE)
  await chmod(to, 0o600)
  await flush(to)
  await flush(dirname(to))
}

export const folderOfArchive = ({ dataDir, archive }: Place): string =>
  archive === undefined || isInObjectStore(archive) ? archiveFolder(dataDir) : archive

export const readBackup = async (folder: string): Promise<Backup> => {
  try {
    return decode(await readRegularText(manifestOf(folder)))
  } catch (cause) {
    throw new BackupError({
      why: `${folder} is not a backup: ${manifestOf(folder)} is missing or can't be read.`,
      advice: "A backup that was interrupted has none; use an older one.",
      cause,
    })
  }
}

const NOTHING_RESTORED = "Nothing was restored. Use another backup."

const isListed = (path: string): boolean => {
  const [folder, name = "", ...more] = path.split("/")
  if (more.length > 0) return false
  if (folder === "raw") return name.endsWith(SEGMENT_SUFFIX)
  return folder === "published" && (name === CURRENT || isCopy(name))
}

const refuse = (why: string, cause?: unknown): never => {
  throw new BackupError({ why, advice: NOTHING_RESTORED, cause })
}

/** Fails unless every listed file is there as it was backed up, and the list is one of a backup. */
export const check = async (
  folder: string,
  { files }: Backup,
  stop: AbortSignal,
): Promise<void> => {
  const paths = new Set<string>()
  for (const { path } of files) {
    const shown = `${manifestOf(folder)} lists ${JSON.stringify(path)}`
    if (!isListed(path)) refuse(`${shown}, which is no file of a backup.`)
    if (paths.has(path)) refuse(`${shown} twice.`)
    paths.add(path)
  }
  for (const { path, bytes, sha256 } of files) {
    stop.throwIfAborted()
    const file = join(folder, path)
    const size = await regularSizeBelow(folder, path).catch((cause: unknown) => {
      const isMissing = (cause as NodeJS.ErrnoException).code === "ENOENT"
      return isMissing ? 0 : refuse(`${causeMessage(cause)}.`, cause)
    })
    if (size !== bytes || (await sha256Of(file)) !== sha256) {
      refuse(`${file} is not what was backed up: ${size} of ${bytes} bytes, or another checksum.`)
    }
  }
  const current = await readCurrent(folder)
  const named = current === undefined ? undefined : `published/${current.file}`
  if (named === undefined || !paths.has(PUBLISHED) || !paths.has(named)) {
    refuse(`${join(folder, PUBLISHED)} names no published copy of this backup.`)
  }
}
