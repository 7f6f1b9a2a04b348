// A backup is a folder: the published copy, which is the whole warehouse as of the last publication, the segments of
// the archive, and `backup.json` with every checksum. It takes no lock, so a sync may go on meanwhile.
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { monthOf, runOfSegment, segmentFiles } from "../../archive/segments.ts"
import { regularFileSize } from "../../domain/regularFile.ts"
import { isInObjectStore } from "../../domain/stores/objectStore.ts"
import { counted } from "../../domain/values/numbers.ts"
import { sha256Of, writeDurably } from "../../domain/durableFiles.ts"
import { isUnchanged, readCurrent, writeCurrent } from "../../load/published/publishedFiles.ts"
import { openPublishedCopy } from "../../load/published/read/openPublishedCopy.ts"
import { isPublished, publishedDirectory } from "../../load/published/read/PublishedCopy.ts"
import { archiveOf } from "../publication/archiveOf.ts"
import { repeatRestore, restoreUnderWay } from "../../load/unfinishedRestore.ts"
import type { Place } from "../publication/warehouse.ts"
import {
  attempt,
  type Backup,
  BackupError,
  copy,
  folderOfArchive,
  manifestOf,
  PUBLISHED,
} from "./backupFolder.ts"

const isEmpty = (folder: string): boolean => !existsSync(folder) || readdirSync(folder).length === 0

/** An archive in object storage is no part of a backup: it is not lost with the machine. */
const archivedFiles = async (place: Place): Promise<ReadonlyArray<string>> =>
  isInObjectStore(place.archive ?? "") ? [] : segmentFiles(archiveOf(place))

/** Fails while half of another backup is there: what is missing of its archive would be missing in this one. */
const mustBeWhole = async (dataDir: string): Promise<void> => {
  const restoring = await restoreUnderWay(dataDir)
  if (restoring === undefined) return
  throw new BackupError({
    why: `The restore of ${restoring} into ${dataDir} has not finished: it was interrupted, or is still running.`,
    advice: `No backup was made; remove what was written. Let the restore end, or repeat it: ${repeatRestore(restoring, dataDir)}. Then run the backup again, into a new folder.`,
  })
}

const step = <A>(folder: string, work: (stop: AbortSignal) => Promise<A>) =>
  attempt(
    `The backup into ${folder} failed`,
    "What was written is not a backup: remove the folder, check disk space and permissions, and run it again.",
    work,
  )

const indexed =
  "select count(*)::double as responses, max(archive_file) as newest from raw.responses"

/**
 * Fails unless the archive has the newest segment that the published copy names, or the one that this was joined to since: otherwise
 * it is not the one that the runs write. Older ones may be lost for good, and are no reason to leave the rest without a backup;
 * `verify` names them. Where each machine of a lake archives for itself, the newest may be another machine's.
 */
const mustHaveArchive = Effect.fnUntraced(function* (place: Place, folder: string) {
  if (isInObjectStore(place.archive ?? "") || !(yield* isPublished(place.dataDir))) return
  const list = step(folder, async () => {
    await mustBeWhole(place.dataDir)
    return archivedFiles(place)
  })
  const before = yield* list
  const published = yield* openPublishedCopy(place.dataDir)
  const [row] = yield* published.rows(indexed)
  const responses = Number(row?.["responses"])
  if (responses === 0) return
  const newest = String(row?.["newest"])
  // A run may add it after the first list, and a later one may join it before the second.
  const found = new Set([...before, ...(yield* list)].map(runOfSegment))
  const { warehouse = "file", archive } = place
  if (found.size > 0 && warehouse !== "file" && archive === undefined) return
  if (found.has(runOfSegment(newest)) || found.has(monthOf(newest))) return
  const lacks =
    found.size === 0 ? "is empty or missing" : `lacks the newest of its files, ${newest}`
  return yield* new BackupError({
    why: `The published copy has ${counted(responses, "response")} in the archive, but ${folderOfArchive(place)} ${lacks}.`,
    advice:
      "No backup was made, since it would lack them. If the archive is elsewhere, name it in the setting `archive`, as the runs do (--config), or mount it; then run the backup again. If it is lost, the next `vaulthouse sync` begins a new one.",
  })
}, Effect.scoped)

/** Writes a backup of the data directory into `folder`, which must be new or empty. */
export const backup = Effect.fnUntraced(function* (place: Place, folder: string) {
  const { dataDir } = place
  const now = yield* Clock.currentTimeMillis
  yield* mustHaveArchive(place, folder)
  return yield* step(folder, async (stop) => {
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
    // After what it says was read: where a restore has written that, its mark is there until the archive is whole.
    await mustBeWhole(dataDir)
    if (current === undefined) {
      throw new BackupError({
        why: `Nothing is published in ${publishedDirectory(dataDir)}, and a backup is made of the published copy.`,
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
    const mustBeUnchanged = async (file: string, beginning: string): Promise<void> => {
      if (await isUnchanged(current, file)) return
      if (!existsSync(file)) {
        throw new BackupError({
          why: `The published copy ${join(dataDir, database)} is not there any more: a publication may have replaced it meanwhile.`,
          advice: `${beginning} run the backup again, after \`vaulthouse publish\` if it is still missing.`,
        })
      }
      throw new BackupError({
        why: `Somebody has written to the published copy ${join(dataDir, database)} since it was published.`,
        advice: `${beginning} run \`vaulthouse publish\`, which makes it again, and run the backup again.`,
      })
    }
    await mustBeUnchanged(join(dataDir, database), "No backup was made:")
    await copy(join(dataDir, database), join(folder, database))
    await mustBeUnchanged(
      join(folder, database),
      `What was written is not a backup: remove the folder ${folder},`,
    )
    await writeCurrent(folder, current)
    const segments: Array<string> = []
    for (const file of await archivedFiles(place)) {
      stop.throwIfAborted()
      segments.push(`raw/${file}`)
      await copy(join(folderOfArchive(place), file), join(folder, "raw", file)).catch(
        async (cause: unknown) => {
          await mustHaveAll()
          throw cause
        },
      )
    }
    await mustHaveAll()
    const files: Array<Backup["files"][number]> = []
    for (const path of [database, PUBLISHED, ...segments]) {
      stop.throwIfAborted()
      const file = join(folder, path)
      files.push({ path, bytes: await regularFileSize(file), sha256: await sha256Of(file) })
    }
    await mustBeWhole(dataDir)
    stop.throwIfAborted()
    const written: Backup = {
      format: 1,
      created_at: new Date(now).toISOString(),
      published_at: current.published_at,
      files,
    }
    // Last, so that a folder with it is a whole backup.
    await writeDurably(manifestOf(folder), `${JSON.stringify(written, null, 1)}\n`)
    return written
  })
})
