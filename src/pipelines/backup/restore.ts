// Restores a backup into a data directory, under its lock: everything is checked before anything is changed.
import { existsSync, readdirSync, statSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import { SEGMENT_SUFFIX } from "../../archive/segments.ts"
import { regularFileSize } from "../../domain/regularFile.ts"
import { isInObjectStore } from "../../domain/stores/objectStore.ts"
import { causeMessage } from "../../domain/values/causeMessage.ts"
import { putInPlace, sha256Of } from "../../domain/durableFiles.ts"
import { lockOf } from "../../load/lock/waitForLock.ts"
import { giveStableName, readCurrent } from "../../load/published/publishedFiles.ts"
import { databaseFile, leftWithout } from "../../load/storage/file/duckdbFile.ts"
import { beginRestore, endRestore } from "../../load/unfinishedRestore.ts"
import type { Place } from "../publication/warehouse.ts"
import {
  attempt,
  type Backup,
  BackupError,
  check,
  copy,
  folderOfArchive,
  PUBLISHED,
  readBackup,
} from "./backupFolder.ts"

/** While a file is being copied. A restore that was interrupted leaves some, and overwrites them when it is repeated. */
const asideOf = (file: string): string => `${file}.new`

/** Not what a disk of its own has besides, such as `lost+found`. */
const isOfArchive = (name: string): boolean =>
  name.endsWith(SEGMENT_SUFFIX) || name.endsWith(asideOf(SEGMENT_SUFFIX))

/** A file of the archive that no restore of this backup can have left there, also if it was interrupted. */
const strangerIn = (archive: string, { files }: Backup): string | undefined => {
  const names = files.map(({ path }) => basename(path))
  const restored = new Set([...names, ...names.map(asideOf)])
  const found = existsSync(archive) ? readdirSync(archive) : []
  const stranger = found.find((name) => isOfArchive(name) && !restored.has(name))
  return stranger === undefined ? undefined : join(archive, stranger)
}

/** Where each file of the backup belongs. */
const targetOf = (place: Place, path: string): string =>
  path.startsWith("raw/") ? join(folderOfArchive(place), basename(path)) : join(place.dataDir, path)

/** What was at `to` stays until all of `from` is there. */
const copyWhole = async (from: string, to: string): Promise<void> => {
  await copy(from, asideOf(to))
  await putInPlace(asideOf(to), to)
}

const refuse = (why: string, cause?: unknown): never => {
  throw new BackupError({
    why,
    advice:
      "Nothing was changed: it may be the only one with its responses. Move it away, or restore into a new folder with --data-dir.",
    cause,
  })
}

const isSegment = ({ path }: Backup["files"][number]): boolean => path.startsWith("raw/")

/**
 * The files of the archive to copy: those that are not there yet, or only their beginning. One that is there and longer stays: the
 * run that was writing it during the backup has gone on, and nothing else has those responses. Fails for one that is neither.
 */
const missingSegments = async (
  place: Place,
  folder: string,
  { files }: Backup,
  stop: AbortSignal,
) => {
  const missing: Array<Backup["files"][number]> = []
  for (const file of files.filter(isSegment)) {
    stop.throwIfAborted()
    const target = targetOf(place, file.path)
    if (!existsSync(target)) {
      missing.push(file)
      continue
    }
    const found = await regularFileSize(target).catch((cause: unknown) =>
      refuse(`${causeMessage(cause)}.`, cause),
    )
    const common = Math.min(found, file.bytes)
    const stored = join(folder, file.path)
    if ((await sha256Of(target, common)) !== (await sha256Of(stored, common))) {
      refuse(
        `${target} differs from ${stored}: neither is the beginning of the other (${found} and ${file.bytes} bytes).`,
      )
    }
    if (found < file.bytes) missing.push(file)
  }
  return missing
}

/** Whether the warehouse there is that of the backup: of a restore that was interrupted at its end, or is repeated. */
const isRestored = async (dataDir: string, { files }: Backup): Promise<boolean> => {
  const database = databaseFile(dataDir)
  if (!existsSync(database) || existsSync(`${database}.wal`)) return false
  const stored = files.find(({ path }) => path.startsWith("published/") && path !== PUBLISHED)
  return stored?.bytes === statSync(database).size && stored.sha256 === (await sha256Of(database))
}

/** Fails if the archive of the backup would be where no command of the configuration looks. */
const mustBeReadable = ({ archive }: Place, { files }: Backup): void => {
  if (archive === undefined || !isInObjectStore(archive)) return
  if (!files.some(isSegment)) return
  throw new BackupError({
    why: `The backup has an archive, and the setting archive names a bucket: ${archive}.`,
    advice:
      "Nothing was changed. Restore without that setting; then copy raw/ to the bucket (docs/archive.md) and set it again.",
  })
}

/**
 * Fails if there is another warehouse than that of the backup, the log of one, or more of an archive than a restore of this
 * backup left.
 */
const mustHaveNoOther = (place: Place, stored: Backup, hasRestored: boolean): void => {
  const database = databaseFile(place.dataDir)
  const isOther = !hasRestored && existsSync(database)
  const found = isOther ? database : strangerIn(folderOfArchive(place), stored)
  if (found !== undefined) {
    throw new BackupError({
      why: `${dirname(found)} holds a warehouse already: ${found}.`,
      advice:
        "Restore into a new folder with --data-dir, and with a new archive if that setting names one, or move the old one away first, with vaulthouse.duckdb.wal and vaulthouse.duckdb.doublewrite if they exist.",
    })
  }
  const left = leftWithout(database)
  if (left === undefined) return
  throw new BackupError({
    why: `${place.dataDir} holds ${left.found}.`,
    advice: left.advice,
  })
}

/**
 * Checks the backup and restores it into `dataDir`, which must hold no warehouse and no archive, except for what an earlier restore
 * of this backup left: then only what is missing is copied. No other process can begin a warehouse there meanwhile.
 */
export const restore = Effect.fnUntraced(function* (folder: string, place: Place) {
  const { dataDir } = place
  const step = <A>(work: (stop: AbortSignal) => Promise<A>) =>
    attempt(
      `Restoring ${folder} failed`,
      "Check disk space and permissions, and run it again.",
      work,
    )
  /** Whether an earlier restore has put the database in place. Fails if anything else is there. */
  const findRestored = async (stored: Backup) => {
    const found = await isRestored(dataDir, stored)
    mustHaveNoOther(place, stored, found)
    return found
  }
  // Nothing is changed before everything is checked.
  const { stored, isOver } = yield* step(async (stop) => {
    const found = await readBackup(folder)
    mustBeReadable(place, found)
    const hasDatabase = await findRestored(found)
    await check(folder, found, stop)
    const missing = await missingSegments(place, folder, found, stop)
    return { stored: found, isOver: hasDatabase && missing.length === 0 }
  })
  if (isOver) {
    yield* step(() => endRestore(dataDir))
    return stored
  }
  yield* lockOf(dataDir, "writer", {})
  return yield* step(async (stop) => {
    const hasDatabase = await findRestored(stored)
    const missing = await missingSegments(place, folder, stored, stop)
    await beginRestore(dataDir, folder)
    for (const file of stored.files) {
      if (isSegment(file) ? !missing.includes(file) : hasDatabase) continue
      stop.throwIfAborted()
      await copyWhole(join(folder, file.path), targetOf(place, file.path))
    }
    if (!hasDatabase) {
      const current = await readCurrent(dataDir)
      if (current === undefined) throw new Error(`${join(folder, PUBLISHED)} can't be read`)
      await giveStableName(dataDir, current.file)
      stop.throwIfAborted()
      // The writer's file last, and whole: without it nothing counts as a warehouse, and the restore can be repeated.
      await copyWhole(join(folder, "published", current.file), databaseFile(dataDir))
    }
    await endRestore(dataDir)
    return stored
  })
}, Effect.scoped)
