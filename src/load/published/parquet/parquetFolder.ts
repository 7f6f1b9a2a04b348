// The folder parquet/: files/ holds every file once, under a name never used for another content; publications/ has a
// folder of links to them for each publication, and `current` points to that of the newest one.
import { existsSync } from "node:fs"
import { lstat, readdir, rename, rm, symlink } from "node:fs/promises"
import { dirname, join, sep } from "node:path"
import { flush, makeFolder } from "../../../domain/flush.ts"
import { invariant } from "../../../domain/invariant.ts"
import { lacksLinks, linkOrCopy, writeDurably } from "../../../domain/durableFiles.ts"
import { MANIFEST, type Manifest, parquetDirectory } from "./manifest.ts"
import { outdated, type PublishedKeep } from "../publishedFiles.ts"

const FILES = "files"
const PUBLICATIONS = "publications"
const CURRENT = "current"
// Without the suffix of Parquet files, so that no reader's glob finds it.
const ASIDE = ".tmp"

/** Where files and folders are made before they are put in place. */
export const asideFolder = (dataDir: string): string => join(parquetDirectory(dataDir), ASIDE)

/** Path in the manifest of a file with this content. */
export const filePath = (
  { schema, name }: { readonly schema: string; readonly name: string },
  month: string | null,
  sha256: string,
): string => `${FILES}/${schema}/${name}/${month ?? "data"}-${sha256.slice(0, 16)}.parquet`

/** The same file in a publication's folder. One folder per table: a reader lists all its files at once, or none. */
export const linkPath = (path: string): string => path.slice(FILES.length + 1)

/** A publication is named by its as-of time, without the characters that some file systems refuse. */
const nameOf = ({ published_at }: Manifest): string => published_at.replaceAll(/[-:]/g, "")

/** Empties the folder for unfinished files, which may hold what a killed process left. */
export const clearAside = async (dataDir: string): Promise<void> => {
  await rm(asideFolder(dataDir), { recursive: true, force: true })
  await makeFolder(asideFolder(dataDir))
}

/** A month that is listed twice would count twice, and a file without rows is none that was written. */
const mustListOnce = ({ files }: Manifest): void => {
  const months = new Set(files.map(({ schema, table, month }) => `${schema}.${table} ${month}`))
  const paths = new Set(files.map(({ path }) => path))
  const isOnce = months.size === files.length && paths.size === files.length
  invariant(
    isOnce && files.every(({ rows, bytes }) => rows > 0 && bytes > 0),
    "a manifest lists each month of a table once, with its rows",
    { files: files.length, months: months.size, paths: paths.size },
  )
}

/** Makes the folder of a publication, complete with its manifest. `current` does not point to it yet. */
export const makePublication = async (dataDir: string, manifest: Manifest): Promise<void> => {
  mustListOnce(manifest)
  const root = parquetDirectory(dataDir)
  const aside = join(asideFolder(dataDir), nameOf(manifest))
  const links = manifest.files.map(({ path }) => ({ from: join(root, path), to: linkPath(path) }))
  const folders = new Set(links.map(({ to }) => join(aside, dirname(to))))
  for (const folder of folders) await makeFolder(folder)
  for (const { from, to } of links) await linkOrCopy(from, join(aside, to))
  await Promise.all([...folders].map(flush))
  await writeDurably(join(aside, MANIFEST), `${JSON.stringify(manifest, null, 1)}\n`)
  await makeFolder(join(root, PUBLICATIONS))
  await rename(aside, join(root, PUBLICATIONS, nameOf(manifest)))
  await flush(join(root, PUBLICATIONS))
}

/** Switches readers to the publication in one rename: all tables and the manifest. */
export const makeCurrent = async (dataDir: string, manifest: Manifest): Promise<void> => {
  const root = parquetDirectory(dataDir)
  const current = join(root, CURRENT)
  const target = join(PUBLICATIONS, nameOf(manifest))
  const aside = join(asideFolder(dataDir), CURRENT)
  const isLink = await symlink(target, aside).then(
    () => true,
    (cause: unknown) => {
      if (!lacksLinks(cause)) throw cause
      return false
    },
  )
  // Without links, or if a copy of the data directory followed them, `current` is a folder, which no rename replaces.
  const found = await lstat(current).catch(() => undefined)
  if (found !== undefined && !(isLink && found.isSymbolicLink())) {
    await rename(current, join(asideFolder(dataDir), "before"))
  }
  await rename(isLink ? aside : join(root, target), current)
  await flush(root)
}

/** Files with the suffix, below the folder, with forward slashes. */
const parquetBelow = async (folder: string): Promise<ReadonlyArray<string>> => {
  const found = await readdir(folder, { recursive: true }).catch(() => [])
  return found.filter((path) => path.endsWith(".parquet")).map((path) => path.split(sep).join("/"))
}

/** What a glob below `parquet/current` finds. */
export const currentFiles = (dataDir: string): Promise<ReadonlyArray<string>> =>
  parquetBelow(join(parquetDirectory(dataDir), CURRENT))

/** Removes files that neither the current publication nor one that is kept refers to. */
export const removeOldParquet = async (
  dataDir: string,
  manifest: Manifest,
  keep: PublishedKeep,
): Promise<void> => {
  const root = parquetDirectory(dataDir)
  const publications = join(root, PUBLICATIONS)
  const earlier = (await readdir(publications)).filter((name) => name !== nameOf(manifest))
  for (const name of await outdated(publications, earlier, keep)) {
    // Moved away in one step: half a publication would look like a whole one.
    await rename(join(publications, name), join(asideFolder(dataDir), name))
  }
  await removeUnreferenced(root, manifest)
  await rm(join(root, ASIDE), { recursive: true, force: true })
}

const removeUnreferenced = async (root: string, manifest: Manifest): Promise<void> => {
  const publications = join(root, PUBLICATIONS)
  const kept = (await readdir(publications)).map((name) => parquetBelow(join(publications, name)))
  const referenced = new Set([
    ...manifest.files.map(({ path }) => linkPath(path)),
    ...(await Promise.all(kept)).flat(),
  ])
  for (const path of await parquetBelow(join(root, FILES))) {
    if (!referenced.has(path)) await rm(join(root, FILES, path), { force: true })
  }
}

/**
 * Removes what publications that failed before `current` pointed to them have left: they would add up, and the last of them
 * would count as the one that readers had before. Without a current publication none is later than it.
 */
export const removeNeverCurrent = async (
  dataDir: string,
  current: Manifest | undefined,
): Promise<void> => {
  const root = parquetDirectory(dataDir)
  const publications = join(root, PUBLICATIONS)
  if (current === undefined || !existsSync(publications)) return
  const later = (await readdir(publications)).filter((name) => name > nameOf(current))
  for (const name of later) await rename(join(publications, name), join(asideFolder(dataDir), name))
  await removeUnreferenced(root, current)
  await clearAside(dataDir)
}

/** Removes everything, `current` first. Returns how many files there were. */
export const removeParquet = async (dataDir: string): Promise<number> => {
  const root = parquetDirectory(dataDir)
  const { length } = await parquetBelow(join(root, FILES))
  for (const name of [CURRENT, PUBLICATIONS, FILES, ASIDE]) {
    await rm(join(root, name), { recursive: true, force: true })
  }
  return length
}
