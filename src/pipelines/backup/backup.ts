// A backup is a folder: the published copy, which is the whole warehouse as of the last publication, the segments of
// the archive, and `backup.json` with every checksum. It takes no lock, so a sync may go on meanwhile.
import { constants, existsSync, readdirSync, statSync } from "node:fs"
import { chmod, copyFile } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { SEGMENT_SUFFIX, segmentFiles } from "../../archive/segments.ts"
import { flush, makeFolder } from "../../domain/flush.ts"
import { readRegularText, regularFileSize, regularSizeBelow } from "../../domain/regularFile.ts"
import { isInObjectStore } from "../../domain/stores/objectStore.ts"
import { lockOf } from "../../load/lock/waitForLock.ts"
import { databaseFile } from "../../load/storage/file/duckdbFile.ts"
import { putInPlace, sha256Of, writeDurably } from "../../load/files/durableFiles.ts"
import { publishedDirectory } from "../../load/published/read/PublishedCopy.ts"
import {
  CURRENT,
  giveStableName,
  isCopy,
  readCurrent,
  writeCurrent,
} from "../../load/published/publishedFiles.ts"
import { archiveFolder, archiveOf } from "../publication/archiveOf.ts"
import { beginRestore, endRestore } from "../publication/unfinishedRestore.ts"
import type { Place } from "../publication/warehouse.ts"
import { causeMessage } from "../../domain/values/causeMessage.ts"

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
  files: Schema.Array(BackupFile),
})
export type Backup = typeof Backup.Type

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Backup))

const PUBLISHED = `published/${CURRENT}`

const manifestOf = (folder: string): string => join(folder, "backup.json")

const attempt = <A>(what: string, advice: string, work: () => Promise<A>) =>
  Effect.tryPromise({
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

const isEmpty = (folder: string): boolean => !existsSync(folder) || readdirSync(folder).length === 0

/**
 * Clones the file where the file system can (instant, no space), else copies it; flushes it, so that a listed file is on
 * disk. Only its owner can read it, even where others may read what is published. Throws for anything but a regular
 * file, which may lead elsewhere or never end.
 */
const copy = async (from: string, to: string): Promise<void> => {
  await regularFileSize(from)
  await makeFolder(dirname(to))
  await copyFile(from, to, constants.COPYFILE_FICLONE)
  await chmod(to, 0o600)
  await flush(to)
  await flush(dirname(to))
}

const folderOfArchive = ({ dataDir, archive }: Place): string =>
  archive === undefined || isInObjectStore(archive) ? archiveFolder(dataDir) : archive

/** An archive in object storage is no part of a backup: it is not lost with the machine. */
const archivedFiles = async (place: Place): Promise<ReadonlyArray<string>> =>
  isInObjectStore(place.archive ?? "") ? [] : segmentFiles(archiveOf(place))

/** Writes a backup of the data directory into `folder`, which must be new or empty. */
export const backup = Effect.fnUntraced(function* (place: Place, folder: string) {
  const { dataDir } = place
  const now = yield* Clock.currentTimeMillis
  return yield* attempt(
    `The backup into ${folder} failed`,
    "What was written is not a backup: remove the folder, check disk space and permissions, and run it again.",
    async () => {
      const before = await archivedFiles(place)
      const mustHaveAll = async () => {
        const after = new Set(await archivedFiles(place))
        if (before.every((file) => after.has(file))) return
        throw new BackupError({
          why: `The archive in ${folderOfArchive(place)} lost files while it was copied: a run joined or removed them.`,
          advice: `What was written is not a backup: remove the folder ${folder}, and run the backup again.`,
        })
      }
      const current = await readCurrent(dataDir)
      if (current === undefined) {
        throw new BackupError({
          why: `There is no published copy in ${publishedDirectory(dataDir)}, which a backup is made of.`,
          advice: "Run `vaulthouse publish` first, or `vaulthouse sync` for a new warehouse.",
        })
      }
      if (!isEmpty(folder)) {
        throw new BackupError({
          why: `The folder ${folder} is not empty.`,
          advice: "Name a new folder: each backup has its own.",
        })
      }
      // The copy that current.json named, whatever is published meanwhile. It is copied before the segments, so that
      // they have every response it refers to, unless a run that joins segments removes some.
      const database = `published/${current.file}`
      await copy(join(dataDir, database), join(folder, database))
      await writeCurrent(folder, current)
      const segments: Array<string> = []
      for (const file of await archivedFiles(place)) {
        segments.push(`raw/${file}`)
        await copy(join(folderOfArchive(place), file), join(folder, "raw", file)).catch(
          async (cause: unknown) => {
            await mustHaveAll()
            throw cause
          },
        )
      }
      await mustHaveAll()
      const files = await Promise.all(
        [database, PUBLISHED, ...segments].map(async (path) => ({
          path,
          bytes: await regularFileSize(join(folder, path)),
          sha256: await sha256Of(join(folder, path)),
        })),
      )
      const written: Backup = { format: 1, created_at: new Date(now).toISOString(), files }
      // Last, so that a folder with it is a whole backup.
      await writeDurably(manifestOf(folder), `${JSON.stringify(written, null, 1)}\n`)
      return written
    },
  )
})

const readBackup = async (folder: string): Promise<Backup> => {
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

/** Whether the archive in the folder is at most what a restore that was interrupted has copied. */
const holdsOnly = (archive: string, { files }: Backup): boolean => {
  const stored = new Set(files.map(({ path }) => basename(path)))
  return !existsSync(archive) || readdirSync(archive).every((name) => stored.has(name))
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
const check = async (folder: string, { files }: Backup): Promise<void> => {
  const paths = new Set<string>()
  for (const { path } of files) {
    const shown = `${manifestOf(folder)} lists ${JSON.stringify(path)}`
    if (!isListed(path)) refuse(`${shown}, which is no file of a backup.`)
    if (paths.has(path)) refuse(`${shown} twice.`)
    paths.add(path)
  }
  for (const { path, bytes, sha256 } of files) {
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

/** Whether the warehouse there is that of the backup: of a restore that was interrupted at its end, or is repeated. */
const isRestored = async (dataDir: string, folder: string, { files }: Backup): Promise<boolean> => {
  const database = databaseFile(dataDir)
  const current = await readCurrent(folder)
  if (current === undefined || !existsSync(database) || existsSync(`${database}.wal`)) return false
  const stored = files.find(({ path }) => path === `published/${current.file}`)
  return stored?.bytes === statSync(database).size && stored.sha256 === (await sha256Of(database))
}

/** Fails if the data directory holds a warehouse, or more of an archive than an interrupted restore left. */
const mustBeNew = (place: Place, stored: Backup): void => {
  if (existsSync(databaseFile(place.dataDir)) || !holdsOnly(folderOfArchive(place), stored)) {
    throw new BackupError({
      why: `${place.dataDir} holds a warehouse already.`,
      advice: "Restore into a new folder with --data-dir, or move the old one away first.",
    })
  }
}

/**
 * Checks the backup and restores it into `dataDir`, which must hold no warehouse and no archive, except for what an interrupted
 * restore left. No other process can begin a warehouse there meanwhile.
 */
export const restore = Effect.fnUntraced(function* (folder: string, place: Place) {
  const { dataDir } = place
  const step = <A>(work: () => Promise<A>) =>
    attempt(
      `Restoring ${folder} failed`,
      "Check disk space and permissions, and run it again.",
      work,
    )
  // Nothing is changed before everything is checked.
  const { stored, isOver } = yield* step(async () => {
    const found = await readBackup(folder)
    if (await isRestored(dataDir, folder, found)) {
      await endRestore(dataDir)
      return { stored: found, isOver: true }
    }
    mustBeNew(place, found)
    await check(folder, found)
    return { stored: found, isOver: false }
  })
  if (isOver) return stored
  yield* lockOf(dataDir, "writer", {})
  return yield* step(async () => {
    mustBeNew(place, stored)
    await beginRestore(dataDir, folder)
    for (const { path } of stored.files) {
      const isArchived = path.startsWith("raw/")
      const to = isArchived ? folderOfArchive(place) : join(dataDir, dirname(path))
      await copy(join(folder, path), join(to, basename(path)))
    }
    const current = await readCurrent(dataDir)
    if (current === undefined) throw new Error(`${join(folder, PUBLISHED)} can't be read`)
    await giveStableName(dataDir, current.file)
    // The writer's file last, and whole: without it nothing counts as a warehouse, and the restore can be repeated.
    const aside = `${databaseFile(dataDir)}.new`
    await copy(join(folder, "published", current.file), aside)
    await putInPlace(aside, databaseFile(dataDir))
    await endRestore(dataDir)
    return stored
  })
}, Effect.scoped)
