// What readers of a data directory see, at every moment.
import { createHash } from "node:crypto"
import { existsSync, lstatSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { type Case, dataDirOf } from "./cases.ts"
import { contentOf } from "./content.ts"
import type { End, Problem } from "./endings.ts"
import type { World } from "./world.ts"

/** Absent where nothing is published. */
export interface Seen {
  /** Of the published copy. */
  readonly facts?: string | undefined
  /** Paths and hashes of the Parquet files of `core`. */
  readonly parquet?: string | undefined
}

interface Manifest {
  readonly files: ReadonlyArray<{ readonly path: string; readonly sha256: string }>
}

const sha256 = (content: Buffer): string => createHash("sha256").update(content).digest("hex")

const currentOf = (world: World, tried: Case): string =>
  world.path(dataDirOf(tried), "parquet/current")

const isThere = (link: string): boolean => lstatSync(link, { throwIfNoEntry: false }) !== undefined

const manifestOf = (current: string): Manifest =>
  JSON.parse(readFileSync(join(current, "manifest.json"), "utf8")) as Manifest

const namesOf = ({ files }: Manifest): string =>
  JSON.stringify(
    files
      // What is recorded of a run (`ops`) differs where an error was injected into it.
      .filter(({ path }) => path.startsWith("files/core/"))
      .map((file) => `${file.path} ${file.sha256}`)
      .toSorted(),
  )

const publishedFacts = async (world: World, tried: Case): Promise<string | undefined> => {
  const file = world.path(dataDirOf(tried), "published/vaulthouse.duckdb")
  return existsSync(file) ? JSON.stringify((await contentOf(file)).facts) : undefined
}

export const seenNow = async (world: World, tried: Case): Promise<Seen> => {
  const current = currentOf(world, tried)
  return {
    facts: await publishedFacts(world, tried),
    parquet: isThere(current) ? namesOf(manifestOf(current)) : undefined,
  }
}

/** What a reader finds wrong at this moment. */
export const readersSee = async (
  world: World,
  tried: Case,
  allowed: ReadonlyArray<Seen>,
  end: End,
): Promise<ReadonlyArray<Problem>> => {
  const [before] = allowed
  // Not after an error: where no template could be copied, equal rows make other files.
  const isSameFiles = end === "died" || end === "complete"
  const problems: Array<Problem> = []
  const wrong = (text: string) => problems.push({ kind: "other", text })
  try {
    const facts = await publishedFacts(world, tried)
    if (facts === undefined) {
      if (before?.facts !== undefined) wrong("the published copy is gone")
    } else if (end !== "left out" && !allowed.some((each) => each.facts === facts)) {
      wrong("the published copy is neither the one before nor the one after")
    }
  } catch (cause) {
    wrong(`the published copy does not open: ${String(cause)}`)
  }
  const current = currentOf(world, tried)
  if (!isThere(current)) {
    if (before?.parquet !== undefined) wrong("parquet/current is gone")
    return problems
  }
  try {
    const manifest = manifestOf(current)
    if (isSameFiles && !allowed.some(({ parquet }) => parquet === namesOf(manifest))) {
      wrong("parquet/current is neither what was published before nor what was after")
    }
    const listed = manifest.files.map(({ path }) => path.replace("files/", ""))
    const found = world
      .files(join(dataDirOf(tried), "parquet/current"))
      .filter((file) => file.endsWith(".parquet"))
    if (found.join() !== listed.toSorted().join()) {
      wrong(`parquet/current has ${found.length} of ${listed.length} files`)
    }
    for (const { path, sha256: hash } of manifest.files) {
      if (sha256(readFileSync(join(current, path.replace("files/", "")))) !== hash) {
        wrong(`parquet/current: ${path} is not what was published`)
      }
    }
  } catch (cause) {
    wrong(`parquet/current can't be read: ${String(cause)}`)
  }
  return problems
}
