// A backup is a folder: the published copy, which is the whole warehouse as of the last publication, the segments of
// the archive, and `backup.json` with every checksum. It takes no lock, so a sync may go on meanwhile.
import { constants, existsSync, readdirSync } from "node:fs"
import { chmod, copyFile, mkdir, readFile, rm, stat } from "node:fs/promises"
import { dirname, join } from "node:path"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { archiveDirectory, segmentFiles } from "../../archive/segments.ts"
import { databaseFile } from "../../load/database.ts"
import { flush, sha256Of, writeDurably } from "../../load/durableFiles.ts"
import { lastReceipt } from "../../load/publish.ts"
import { openPublishedCopy, publishedDirectory, publishedFile } from "../../load/PublishedCopy.ts"

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
  /** Below the backup, with forward slashes. */
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

const RECEIPT = "published/publication.json"
const DATABASE = "published/vaulthouse.duckdb"

const manifestOf = (folder: string): string => join(folder, "backup.json")

const attempt = <A>(what: string, advice: string, work: () => Promise<A>) =>
  Effect.tryPromise({
    try: work,
    catch: (cause) =>
      cause instanceof BackupError
        ? cause
        : new BackupError({
            why: `${what}: ${cause instanceof Error ? cause.message : String(cause)}.`,
            advice,
            cause,
          }),
  })

const isEmpty = (folder: string): boolean => !existsSync(folder) || readdirSync(folder).length === 0

/**
 * A clone where the file system can (instant, no space), else a copy; flushed, so that a listed file is on disk. Its
 * owner's alone, even where others may read what is published.
 */
const copy = async (from: string, to: string): Promise<void> => {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 })
  await copyFile(from, to, constants.COPYFILE_FICLONE)
  await chmod(to, 0o600)
  await flush(to)
}

/** Whether the receipt in `folder` is that of the copy next to it. */
const isOfTheCopy = (folder: string) =>
  Effect.gen(function* () {
    const copied = yield* openPublishedCopy(folder)
    const [newest] = yield* copied.rows(
      "select run_id, published_at from ops.publications order by published_at desc limit 1",
    )
    const receipt = yield* Effect.promise(() => lastReceipt(folder))
    return (
      receipt?.run_id === newest?.["run_id"] && receipt?.published_at === newest?.["published_at"]
    )
  }).pipe(Effect.scoped)

/** The copy and its receipt, which a publication replaces one after the other; the paths that were copied. */
const copyPublication = (dataDir: string, folder: string) =>
  Effect.gen(function* () {
    const isWhole = yield* written(folder, async () => {
      await copy(publishedFile(dataDir), join(folder, DATABASE))
      if (!existsSync(join(dataDir, RECEIPT))) return
      await copy(join(dataDir, RECEIPT), join(folder, RECEIPT))
    }).pipe(
      Effect.andThen(isOfTheCopy(folder)),
      Effect.repeat({
        until: (isOf) => isOf,
        schedule: Schedule.spaced("500 millis"),
        times: 10,
      }),
    )
    if (isWhole) return [DATABASE, RECEIPT]
    // The publication was killed in between; the next one writes a receipt.
    yield* written(folder, () => rm(join(folder, RECEIPT), { force: true }))
    return [DATABASE]
  })

const written = <A>(folder: string, work: () => Promise<A>) =>
  attempt(
    `The backup into ${folder} failed`,
    "What was written is no backup: remove the folder, check disk space and permissions, and run it again.",
    work,
  )

/** Writes a backup of the data directory into `folder`, which must be new or empty. */
export const backup = Effect.fnUntraced(function* (dataDir: string, folder: string) {
  const now = yield* Clock.currentTimeMillis
  yield* written(folder, async () => {
    if (!existsSync(publishedFile(dataDir))) {
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
  })
  // The copy first: every response it refers to is in the segments by then.
  const publication = yield* copyPublication(dataDir, folder)
  return yield* written(folder, async () => {
    const segments = segmentFiles(archiveDirectory(dataDir)).map((file) => `raw/${file}`)
    for (const path of segments) await copy(join(dataDir, path), join(folder, path))
    const files = await Promise.all(
      [...publication, ...segments].map(async (path) => ({
        path,
        bytes: (await stat(join(folder, path))).size,
        sha256: await sha256Of(join(folder, path)),
      })),
    )
    const list: Backup = { format: 1, created_at: new Date(now).toISOString(), files }
    // Last, so that a folder with it is a whole backup.
    await writeDurably(manifestOf(folder), `${JSON.stringify(list, null, 1)}\n`)
    return list
  })
})

const readBackup = async (folder: string): Promise<Backup> => {
  try {
    return decode(await readFile(manifestOf(folder), "utf8"))
  } catch (cause) {
    throw new BackupError({
      why: `${folder} is not a backup: ${manifestOf(folder)} is missing or can't be read.`,
      advice: "A backup that was interrupted has none; use an older one.",
      cause,
    })
  }
}

/** Checks the backup and restores it into `dataDir`, which must hold no warehouse and no archive. */
export const restore = Effect.fnUntraced(function* (folder: string, dataDir: string) {
  return yield* attempt(
    `Restoring ${folder} failed`,
    `Remove ${dataDir}, check disk space and permissions, and run it again.`,
    async () => {
      const stored = await readBackup(folder)
      if (existsSync(databaseFile(dataDir)) || !isEmpty(archiveDirectory(dataDir))) {
        throw new BackupError({
          why: `${dataDir} holds a warehouse already.`,
          advice: "Restore into a new folder with --data-dir, or move the old one away first.",
        })
      }
      for (const { path, bytes, sha256 } of stored.files) {
        const file = join(folder, path)
        const size = existsSync(file) ? (await stat(file)).size : 0
        if (size !== bytes || (await sha256Of(file)) !== sha256) {
          throw new BackupError({
            why: `${file} is not what was backed up: ${size} of ${bytes} bytes, or another checksum.`,
            advice: "Nothing was restored. Use another backup.",
          })
        }
      }
      for (const { path } of stored.files) await copy(join(folder, path), join(dataDir, path))
      // The writer's file last: without it nothing counts as a warehouse.
      await copy(join(folder, DATABASE), databaseFile(dataDir))
      return stored
    },
  )
})
