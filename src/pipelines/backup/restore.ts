// Restores a backup into a data directory, under its lock: everything is checked before anything is changed.
import { existsSync, readdirSync, statSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import { putInPlace, sha256Of } from "../../load/files/durableFiles.ts"
import { lockOf } from "../../load/lock/waitForLock.ts"
import { giveStableName, readCurrent } from "../../load/published/publishedFiles.ts"
import { databaseFile, leftWithout } from "../../load/storage/file/duckdbFile.ts"
import { beginRestore, endRestore } from "../publication/unfinishedRestore.ts"
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

/** Whether the archive in the folder is at most what a restore that was interrupted has copied. */
const holdsOnly = (archive: string, { files }: Backup): boolean => {
  const stored = new Set(files.map(({ path }) => basename(path)))
  return !existsSync(archive) || readdirSync(archive).every((name) => stored.has(name))
}

/** Whether the warehouse there is that of the backup: of a restore that was interrupted at its end, or is repeated. */
const isRestored = async (dataDir: string, folder: string, { files }: Backup): Promise<boolean> => {
  const database = databaseFile(dataDir)
  const current = await readCurrent(folder)
  if (current === undefined || !existsSync(database) || existsSync(`${database}.wal`)) return false
  const stored = files.find(({ path }) => path === `published/${current.file}`)
  return stored?.bytes === statSync(database).size && stored.sha256 === (await sha256Of(database))
}

/** Fails if the data directory holds a warehouse, the log of one, or more of an archive than an interrupted restore left. */
const mustBeNew = (place: Place, stored: Backup): void => {
  if (existsSync(databaseFile(place.dataDir)) || !holdsOnly(folderOfArchive(place), stored)) {
    throw new BackupError({
      why: `${place.dataDir} holds a warehouse already.`,
      advice:
        "Restore into a new folder with --data-dir, or move the old one away first, with vaulthouse.duckdb.wal and vaulthouse.duckdb.doublewrite where they are there.",
    })
  }
  const left = leftWithout(databaseFile(place.dataDir))
  if (left === undefined) return
  throw new BackupError({
    why: `${place.dataDir} holds ${left.names} of a database that is gone.`,
    advice: left.advice,
  })
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
