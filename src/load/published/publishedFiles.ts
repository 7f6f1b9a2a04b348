// The files of published/: one immutable copy for each publication, the stable name that readers open, and
// current.json, which says what is published without opening it.
import { readdir, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import * as Schema from "effect/Schema"
import { MILLIS_PER_DAY } from "../../domain/values/time.ts"
import { isPlainPath, readRegularText } from "../../domain/regularFile.ts"
import { linkOrCopy, putInPlace, sha256Of, writeDurably } from "../../domain/durableFiles.ts"
import { modeOf, ownerOnly } from "./publishedAccess.ts"
import { publishedDirectory, publishedFile } from "./read/PublishedCopy.ts"

export const CURRENT = "current.json"

/** Prefix of unfinished files; the next publication removes those that a killed one left. */
export const ASIDE = ".tmp-"

/** A file that exists while a publication is being made, and after one was killed; it holds the name of its copy. */
export const unfinished = (dataDir: string): string =>
  join(publishedDirectory(dataDir), `${ASIDE}unfinished`)

/** How many earlier publications stay for readers that open them by name, and for how long after they were replaced. */
export interface PublishedKeep {
  readonly copies: number
  readonly days: number
}

const Current = Schema.Struct({
  /** The immutable copy, in the same folder. */
  file: Schema.NonEmptyString,
  run_id: Schema.NonEmptyString,
  /** As-of time of everything in the copy, ISO-8601 UTC. */
  published_at: Schema.NonEmptyString,
  /** Fingerprint of everything besides the rows that decides what is published. */
  definition: Schema.String,
  /** Fingerprint of the rows whose change is news. */
  content: Schema.String,
  /** `headerOf` the copy when it was published; 1.0.0 recorded none. */
  header: Schema.optionalKey(Schema.String),
  /** Hashes of the copy's views and macros, and the version of DuckDB that wrote them (`publishedViews.ts`). */
  duckdb: Schema.String,
  views: Schema.Record(Schema.String, Schema.String),
})
/** What is published. */
export type Current = typeof Current.Type

const decodeCurrent = Schema.decodeUnknownSync(Schema.fromJsonString(Current))

// What is fixed, then the two slots that DuckDB writes in turn.
const HEADER_BYTES = 3 * 4096

/** SHA-256 of the copy's header, which changes with whatever DuckDB writes into the file. */
export const headerOf = (copy: string): Promise<string> => sha256Of(copy, HEADER_BYTES)

/** Whether the copy is as it was published: somebody may have opened it to write. One that can't be read counts as changed. */
export const isUnchanged = async ({ header }: Current, copy: string): Promise<boolean> =>
  header === undefined || header === (await headerOf(copy).catch(() => undefined))

/** The same of the copy under both of its names, which are two files where the file system has no hard links. */
export const isCopyUnchanged = async (dataDir: string, current: Current): Promise<boolean> => {
  const names = [publishedFile(dataDir), join(publishedDirectory(dataDir), current.file)]
  const unchanged = await Promise.all(names.map((name) => isUnchanged(current, name)))
  return !unchanged.includes(false)
}

/** File of the copy that a run published. */
export const copyName = (runId: string): string => `vaulthouse-${runId}.duckdb`

/** Whether it can be the name of a copy: a plain name, which leads to no other folder. */
export const isCopy = (name: string): boolean =>
  isPlainPath(name) && /^vaulthouse-[^/]+\.duckdb$/.test(name)

/** Written after the copy is in place. */
export const writeCurrent = (
  dataDir: string,
  current: Current,
  access = ownerOnly,
): Promise<void> =>
  writeDurably(
    join(publishedDirectory(dataDir), CURRENT),
    `${JSON.stringify(current)}\n`,
    modeOf(access),
  )

/** The current.json of the last complete publication; `undefined` if there is none, or none that can be read. */
export const readCurrent = async (dataDir: string): Promise<Current | undefined> => {
  try {
    const file = join(publishedDirectory(dataDir), CURRENT)
    const current = decodeCurrent(await readRegularText(file))
    return isCopy(current.file) ? current : undefined
  } catch {
    return undefined
  }
}

/**
 * The logs that somebody who opened a copy to write, by any of its names, and was killed has left. DuckDB would apply one to
 * whatever copy has the name next: storage version v1.1.0 does not say which database a log is of.
 */
export const foreignLogs = async (dataDir: string): Promise<ReadonlyArray<string>> =>
  (await readdir(publishedDirectory(dataDir))).filter((name) =>
    /^vaulthouse(-[^/]+)?\.duckdb\.wal$/.test(name),
  )

/**
 * Gives the copy the stable name: as a second name of the same file, which costs no space, or as a copy of it if the
 * file system does not support links.
 */
export const giveStableName = async (dataDir: string, copy: string): Promise<void> => {
  const folder = publishedDirectory(dataDir)
  const aside = join(folder, `${ASIDE}${process.pid}.link`)
  await rm(aside, { force: true })
  await linkOrCopy(join(folder, copy), aside)
  for (const log of await foreignLogs(dataDir)) await rm(join(folder, log), { force: true })
  await putInPlace(aside, publishedFile(dataDir))
}

/** The files or folders of earlier publications in `folder` that are not to be kept. */
export const outdated = async (
  folder: string,
  names: ReadonlyArray<string>,
  keep: PublishedKeep,
): Promise<ReadonlyArray<string>> => {
  const earlier = await Promise.all(
    names.map(async (name) => ({ name, madeAt: (await stat(join(folder, name))).mtimeMs })),
  )
  const newestFirst = earlier.toSorted((one, other) => other.madeAt - one.madeAt)
  const now = Date.now()
  // A publication was replaced when the next one was made; the newest of these is replaced now.
  const replacedAt = (at: number): number => newestFirst[at - 1]?.madeAt ?? now
  return newestFirst
    .filter((_, at) => at >= keep.copies || replacedAt(at) <= now - keep.days * MILLIS_PER_DAY)
    .map(({ name }) => name)
}

/** Removes the copies that are neither current nor to be kept. */
export const removeOldCopies = async (
  dataDir: string,
  current: string,
  keep: PublishedKeep,
): Promise<void> => {
  const folder = publishedDirectory(dataDir)
  const earlier = (await readdir(folder)).filter((name) => isCopy(name) && name !== current)
  for (const name of await outdated(folder, earlier, keep)) {
    await rm(join(folder, name), { force: true })
  }
}

/**
 * Removes the copy of a publication that ended before current.json named it: such copies would add up, and count as the one that
 * readers had before. The stable name may still be that of it, and keeps its file.
 */
export const removeNeverCurrentCopy = async (dataDir: string): Promise<void> => {
  const name = await readRegularText(unfinished(dataDir)).catch(() => "")
  const isCurrent = (await readCurrent(dataDir))?.file === name
  if (isCopy(name) && !isCurrent) {
    await rm(join(publishedDirectory(dataDir), name), { force: true })
  }
}
