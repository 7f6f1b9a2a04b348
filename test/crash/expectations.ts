// What must hold after a death, and what an uninterrupted command leaves, to compare with.
import { createHash } from "node:crypto"
import { existsSync, readFileSync, readlinkSync } from "node:fs"
import { join } from "node:path"
import type { Case } from "./cases.ts"
import { type Content, contentOf } from "./content.ts"
import type { World } from "./world.ts"

export interface Problem {
  readonly kind: "lost" | "doubled" | "unclear" | "other"
  readonly text: string
}

export interface Reference {
  /** Of the warehouse, after the commands and the sync after them. */
  readonly content: Content
  /** What readers may see: the facts that were published before and after. */
  readonly published: ReadonlyArray<string>
  /** By pipeline and entity: requests of the commands, and of the sync after them. */
  readonly requests: Readonly<Record<string, number>>
  readonly requestsAfter: Readonly<Record<string, number>>
  /** Runs that were recorded before. */
  readonly known: ReadonlyArray<string>
}

const dataDirOf = ({ dataDir = "data" }: Case): string => dataDir
const syncOf = (tried: Case) => ["sync", "--data-dir", dataDirOf(tried)]

const sha256 = (content: Buffer): string => createHash("sha256").update(content).digest("hex")

/** What a reader of the published copy sees; `undefined` without one. */
const publishedFacts = async (world: World, tried: Case): Promise<string | undefined> => {
  const file = world.path(dataDirOf(tried), "published/vaulthouse.duckdb")
  return existsSync(file) ? JSON.stringify((await contentOf(file)).facts) : undefined
}

const sums = (content: Content, isWanted: (run: string) => boolean): Record<string, number> => {
  const sent: Record<string, number> = {}
  for (const { run, task, sent: count } of content.requests) {
    if (isWanted(run)) sent[task] = (sent[task] ?? 0) + count
  }
  return sent
}

const newest = ({ requests }: Content): string =>
  requests.reduce((last, { run }) => (run > last ? run : last), "")

export const warehouse = (world: World, tried: Case): string =>
  world.path(dataDirOf(tried), "vaulthouse.duckdb")

/** Runs the commands and the sync after them, uninterrupted. `run` runs the commands. */
export const referenceOf = async (
  world: World,
  tried: Case,
  run: () => Promise<void>,
): Promise<Reference> => {
  const seen = [await publishedFacts(world, tried)]
  const known = existsSync(warehouse(world, tried))
    ? new Set((await contentOf(warehouse(world, tried))).requests.map((each) => each.run))
    : new Set<string>()
  await run()
  seen.push(await publishedFacts(world, tried))
  world.after(tried.moment)
  const [sync, ...flags] = syncOf(tried)
  await world.must(sync ?? "", ...flags)
  seen.push(await publishedFacts(world, tried))
  const content = await contentOf(warehouse(world, tried))
  const last = newest(content)
  const problems = await holds(world, tried, content, true)
  if (problems.length > 0) {
    throw new Error(`${tried.name}, uninterrupted: ${problems.map(({ text }) => text).join("; ")}`)
  }
  return {
    content,
    published: seen.filter((each) => each !== undefined),
    requests: sums(content, (each) => !known.has(each) && each !== last),
    requestsAfter: sums(content, (each) => each === last),
    known: [...known],
  }
}

/** What a reader finds wrong at this moment. */
export const readersSee = async (
  world: World,
  tried: Case,
  reference: Reference,
): Promise<ReadonlyArray<Problem>> => {
  const problems: Array<Problem> = []
  const wrong = (text: string) => problems.push({ kind: "other", text })
  try {
    const facts = await publishedFacts(world, tried)
    if (facts !== undefined && !reference.published.includes(facts)) {
      wrong("the published copy is neither the one before nor the one after")
    }
  } catch (cause) {
    wrong(`the published copy does not open: ${String(cause)}`)
  }
  const parquet = world.path(dataDirOf(tried), "parquet")
  const current = join(parquet, "current")
  try {
    readlinkSync(current)
  } catch {
    return problems
  }
  try {
    const manifest = JSON.parse(readFileSync(join(current, "manifest.json"), "utf8")) as {
      readonly files: ReadonlyArray<{ readonly path: string; readonly sha256: string }>
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

const rowsOf = (content: string | undefined): number => Number(content?.split(" ")[0] ?? 0)

const differences = (
  what: string,
  found: Readonly<Record<string, string>>,
  wanted: Readonly<Record<string, string>>,
): ReadonlyArray<Problem> =>
  [...new Set([...Object.keys(found), ...Object.keys(wanted)])]
    .filter((table) => found[table] !== wanted[table])
    .map((table) => {
      const [has, should] = [rowsOf(found[table]), rowsOf(wanted[table])]
      return {
        kind: has < should ? "lost" : has > should ? "doubled" : "other",
        text: `${what}: ${table} has ${has} rows instead of ${should}${has === should ? ", with other values" : ""}`,
      }
    })

const ended = (
  what: string,
  {
    code,
    stdout,
    stderr,
  }: { readonly code: number | null; readonly stdout: string; readonly stderr: string },
): string => `${what} ended with ${code}: ${(stderr + stdout).trim().slice(0, 600)}`

/** What must hold of a whole warehouse, whatever happened before; `isWhole`: of its archive too. */
const holds = async (
  world: World,
  tried: Case,
  content: Content,
  isWhole: boolean,
): Promise<ReadonlyArray<Problem>> => {
  const dataDir = dataDirOf(tried)
  const problems: Array<Problem> = []
  const published = await contentOf(world.path(dataDir, "published/vaulthouse.duckdb"))
  problems.push(...differences("the published copy", published.rows, content.rows))
  if (content.withoutResponse > 0) {
    problems.push({
      kind: "lost",
      text: `${content.withoutResponse} rows name a response that is not in the index`,
    })
  }
  for (const command of isWhole ? ["verify", "check"] : ["verify"]) {
    const result = await world.run([command, "--data-dir", dataDir])
    if (result.code !== 0) problems.push({ kind: "other", text: ended(command, result) })
  }
  if (!isWhole) return problems
  const alone = world.archiveAlone(dataDir)
  const replay = await world.run(["replay", "--no-publish", "--data-dir", alone])
  if (replay.code === 0) {
    const again = await contentOf(join(alone, "vaulthouse.duckdb"))
    problems.push(...differences("a replay of the archive", again.rows, content.rows))
  } else problems.push({ kind: "lost", text: ended("a replay of the archive", replay) })
  return problems
}

/** Files that nothing will ever remove. */
const strays = (world: World, tried: Case): ReadonlyArray<string> => {
  const dataDir = dataDirOf(tried)
  const current = JSON.parse(
    readFileSync(world.path(dataDir, "published/current.json"), "utf8"),
  ) as { readonly file: string }
  const manifest = JSON.parse(
    readFileSync(world.path(dataDir, "parquet/current/manifest.json"), "utf8"),
  ) as { readonly files: ReadonlyArray<{ readonly path: string }>; readonly published_at: string }
  const publication = `publications/${manifest.published_at.replaceAll(/[-:]/g, "")}`
  const known = new Set([
    "vaulthouse.duckdb",
    "vaulthouse.duckdb.doublewrite",
    "vaulthouse.before-migration.duckdb",
    "writer.lock",
    "health.json",
    "last-run.json",
    "published/current.json",
    "published/vaulthouse.duckdb",
    `published/${current.file}`,
    "parquet/current",
    `parquet/${publication}/manifest.json`,
    ...manifest.files.flatMap(({ path }) => [
      `parquet/${path}`,
      `parquet/${publication}/${path.replace("files/", "")}`,
    ]),
  ])
  const ofData = world
    .files(dataDir)
    .filter(
      (file) =>
        !known.has(file) &&
        !file.startsWith("parquet/current/") &&
        !/^raw\/[\w.-]+\.ndjson\.zst$/.test(file),
    )
  // What is left of making a template is removed after a month.
  const ofHome = world
    .files("home")
    .filter((file) => !/^\.cache\/vaulthouse\/[^/]+\.duckdb(\.\d+(\.wal)?)?$/.test(file))
  return [...ofData.map((file) => `${dataDir}/${file}`), ...ofHome.map((file) => `home/${file}`)]
}

/**
 * Goes on after a death as a user would, and says what does not hold. Not `isWhole` where another death left the same
 * warehouse and archive, with other publications: its rows and archive need no second look.
 */
export const afterDeath = async (
  world: World,
  tried: Case,
  reference: Reference,
  isWhole: boolean,
): Promise<ReadonlyArray<Problem>> => {
  const problems: Array<Problem> = [...(await readersSee(world, tried, reference))]
  for (const command of tried.again ?? []) {
    const result = await world.run(command)
    if (result.code !== 0)
      problems.push({ kind: "other", text: ended(`${command[0]}, repeated,`, result) })
  }
  const before = world.requests
  const next = await world.run(syncOf(tried))
  const sent = world.requests - before
  if (next.code !== 0) return [...problems, { kind: "lost", text: ended("the next sync", next) }]
  const content = await contentOf(warehouse(world, tried))
  problems.push(...differences("the warehouse", content.facts, reference.content.facts))
  problems.push(...(await holds(world, tried, content, isWhole)))

  const last = newest(content)
  const repeated = sums(content, (run) => run === last)
  const committed = sums(content, (run) => run !== last && !reference.known.includes(run))
  let allowed = 0
  for (const [task, count] of Object.entries(repeated)) {
    const missing = Math.max(0, (reference.requests[task] ?? 0) - (committed[task] ?? 0))
    const bound = missing + (reference.requestsAfter[task] ?? 0)
    allowed += bound
    if (count > bound)
      problems.push({ kind: "other", text: `${task}: ${count} requests instead of ${bound}` })
  }
  if (sent > allowed)
    problems.push({
      kind: "other",
      text: `${sent} requests instead of ${allowed}: ${JSON.stringify({ repeated, committed, runs: content.requests })}`,
    })

  if (strays(world, tried).length > 0) {
    // What a publication left, the next one removes.
    await world.must("publish", "--data-dir", dataDirOf(tried))
    const left = strays(world, tried)
    if (left.length > 0) problems.push({ kind: "other", text: `left for ever: ${left.join(", ")}` })
  }
  return problems
}
