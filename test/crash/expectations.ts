// What must hold after a death, and what an uninterrupted command leaves, to compare with.
import { existsSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { runOfSegment } from "../../src/archive/segments.ts"
import { type Case, dataDirOf } from "./cases.ts"
import { type Content, contentOf, countIn } from "./content.ts"
import { digestOf, type State, stateOf } from "./disk.ts"
import { readersSee, type Seen, seenNow } from "./readers.ts"
import { type End, type Problem, unclearEnd } from "./endings.ts"
import type { World } from "./world.ts"

export interface Reference {
  /** Rows of the warehouse after the commands. */
  readonly committed: Content["facts"]
  /** Of the warehouse, after the commands and the sync after them. */
  readonly content: Content
  /** What readers may see: what was published before and after; first what was before. */
  readonly seen: ReadonlyArray<Seen>
  /** Rows that a backup has, where the case makes one. */
  readonly backedUp: Content["rows"]
  /** By pipeline and entity: requests of the commands, and of the sync after them. */
  readonly requests: Readonly<Record<string, number>>
  readonly requestsAfter: Readonly<Record<string, number>>
  /** Runs that were recorded before. */
  readonly known: ReadonlyArray<string>
}

const syncOf = (tried: Case) => ["sync", "--data-dir", dataDirOf(tried)]

const sums = (
  content: Pick<Content, "requests">,
  isWanted: (run: string) => boolean,
): Record<string, number> => {
  const sent: Record<string, number> = {}
  for (const { run, task, sent: count } of content.requests) {
    if (isWanted(run)) sent[task] = (sent[task] ?? 0) + count
  }
  return sent
}

const newest = ({ requests }: Pick<Content, "requests">): string =>
  requests.reduce((last, { run }) => (run > last ? run : last), "")

export const warehouse = (world: World, tried: Case): string =>
  world.path(dataDirOf(tried), "vaulthouse.duckdb")

const measure = async (world: World, tried: Case): Promise<number> => {
  const of = tried.measure?.of ?? (() => 0)
  return typeof of === "string" ? countIn(warehouse(world, tried), of) : of(world)
}

/** Runs the commands and the sync after them, uninterrupted. `run` runs the commands, and something after each. */
export const referenceOf = async (
  world: World,
  tried: Case,
  run: (afterEach: () => Promise<void>) => Promise<void>,
): Promise<Reference> => {
  const seen = [await seenNow(world, tried)]
  const known = existsSync(warehouse(world, tried))
    ? new Set((await contentOf(warehouse(world, tried))).requests.map((each) => each.run))
    : new Set<string>()
  const measured = await measure(world, tried)
  await run(async () => void seen.push(await seenNow(world, tried)))
  const after = await measure(world, tried)
  if (tried.measure?.isMeant(measured, after) === false)
    throw new Error(`${tried.name}: ${tried.measure.what}: ${measured} before, ${after} after`)
  const { facts: committed, rows } = await contentOf(warehouse(world, tried))
  const backedUp = tried.backup === undefined ? {} : rows
  world.after(tried.moment)
  const [sync, ...flags] = syncOf(tried)
  await world.must(sync ?? "", ...flags)
  seen.push(await seenNow(world, tried))
  const content = await contentOf(warehouse(world, tried))
  const last = newest(content)
  const problems = await holds(world, tried, content, (_what, _files, find) => find())
  if (problems.length > 0) {
    throw new Error(`${tried.name}, uninterrupted: ${problems.map(({ text }) => text).join("; ")}`)
  }
  return {
    committed,
    content,
    seen,
    backedUp,
    requests: sums(content, (each) => !known.has(each) && each !== last),
    requestsAfter: sums(content, (each) => each === last),
    known: [...known],
  }
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
): string => {
  // Without the log of what went well.
  const said = `${stderr}${stdout}`.split("\n").filter((line) => !line.includes('"level":"INFO"'))
  return `${what} ended with ${code}: ${said.join("\n").trim().slice(0, 600)}`
}

/** What was found in equal files, or in what has this digest, is not looked for again. */
export type Once = <A>(what: string, files: State | string, find: () => Promise<A>) => Promise<A>

/** What must hold of a whole warehouse, whatever happened before. */
const holds = async (
  world: World,
  tried: Case,
  content: Content,
  once: Once,
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
  const asks = async (command: string): Promise<ReadonlyArray<Problem>> => {
    const result = await world.run([command, "--data-dir", dataDir])
    return result.code === 0 ? [] : [{ kind: "other", text: ended(command, result) }]
  }
  problems.push(...(await asks("verify")))
  problems.push(...(await once("checked", content.everything, () => asks("check"))))
  const archive = digestOf(stateOf(world.root), `${dataDir}/raw/`)
  const again = await once("replayed", archive, async () => {
    const alone = world.archiveAlone(dataDir)
    const result = await world.run(["replay", "--no-publish", "--data-dir", alone])
    return result.code === 0
      ? { rows: (await contentOf(join(alone, "vaulthouse.duckdb"))).rows }
      : { text: ended("a replay of the archive", result) }
  })
  if (again.rows === undefined) problems.push({ kind: "lost", text: again.text })
  else problems.push(...differences("a replay of the archive", again.rows, content.rows))
  return problems
}

/** Files that nothing will ever remove, and segments of no known run. */
const strays = (
  world: World,
  tried: Case,
  { archived }: Pick<Content, "archived">,
): ReadonlyArray<string> => {
  const dataDir = dataDirOf(tried)
  const current = JSON.parse(
    readFileSync(world.path(dataDir, "published/current.json"), "utf8"),
  ) as { readonly file: string }
  const manifestFile = world.path(dataDir, "parquet/current/manifest.json")
  const manifest = existsSync(manifestFile)
    ? (JSON.parse(readFileSync(manifestFile, "utf8")) as {
        readonly files: ReadonlyArray<{ readonly path: string }>
        readonly published_at: string
      })
    : { files: [], published_at: "" }
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
  const isKnownSegment = (file: string): boolean => {
    const [, segment] = /^raw\/([\w.-]+\.ndjson\.zst)$/.exec(file) ?? []
    return (
      segment !== undefined &&
      [segment, runOfSegment(segment)].some((name) => archived.includes(name))
    )
  }
  const ofData = world
    .files(dataDir)
    .filter(
      (file) => !known.has(file) && !file.startsWith("parquet/current/") && !isKnownSegment(file),
    )
  // What is left of making a template is removed after a month.
  const ofHome = world
    .files("home")
    .filter((file) => !/^\.cache\/vaulthouse\/[^/]+\.duckdb(\.\d+(\.wal)?)?$/.test(file))
  return [...ofData.map((file) => `${dataDir}/${file}`), ...ofHome.map((file) => `home/${file}`)]
}

interface Examined {
  readonly problems: ReadonlyArray<Problem>
  readonly requests: Content["requests"]
}

/** What does not hold after a sync that ended well: of its files alone. */
const examine = async (
  world: World,
  tried: Case,
  reference: Reference,
  once: Once,
): Promise<Examined> => {
  const content = await contentOf(warehouse(world, tried))
  const problems: Array<Problem> = [
    ...differences("the warehouse", content.facts, reference.content.facts),
    ...(await holds(world, tried, content, once)),
  ]
  const { requests } = content
  if (strays(world, tried, content).length === 0) return { problems, requests }
  // What a publication left, the next one removes.
  await world.must("publish", "--data-dir", dataDirOf(tried))
  if (strays(world, tried, content).length === 0) return { problems, requests }
  // Segments that were joined, the run after the publication of their new places removes.
  world.after(tried.moment, 20)
  const [sync = "", ...flags] = syncOf(tried)
  await world.must(sync, ...flags)
  const later = await contentOf(warehouse(world, tried))
  const left = strays(world, tried, later)
  if (left.length > 0) problems.push({ kind: "other", text: `left for ever: ${left.join(", ")}` })
  problems.push(
    ...differences("the warehouse, a run later", later.facts, reference.content.facts),
    ...(await holds(world, tried, later, once)),
  )
  return { problems, requests }
}

const isOfReaders = (path: string): boolean => /\/(published|parquet)\//.test(path)

/** Goes on after a death as a user would, and says what does not hold. */
export const afterDeath = async (
  world: World,
  tried: Case,
  reference: Reference,
  once: Once,
  end: End,
): Promise<ReadonlyArray<Problem>> => {
  const left = stateOf(world.root)
  const ofReaders = new Map([...left].filter(([path]) => isOfReaders(path)))
  const problems = [
    ...(await once(`seen, ${end}`, ofReaders, () => readersSee(world, tried, reference.seen, end))),
    ...(await once(`committed, ${end}`, left, () => uncommitted(world, tried, reference, end))),
  ]
  // Nobody repeats what ended well: a second `restore` is rightly refused.
  for (const command of end === "ended well" ? [] : (tried.again ?? [])) {
    const result = await world.run(command)
    if (result.code !== 0)
      problems.push({ kind: "other", text: ended(`${command[0]}, repeated,`, result) })
  }
  const before = world.requests
  const next = await world.run(syncOf(tried))
  const sent = world.requests - before
  if (next.code !== 0) return [...problems, { kind: "lost", text: ended("the next sync", next) }]
  const found = await once("examined", stateOf(world.root), () =>
    examine(world, tried, reference, once),
  )
  return [
    ...problems,
    ...found.problems,
    ...tooMany(found, reference, sent),
    ...(await backupHolds(world, tried, reference, once, end)),
  ]
}

/** What is missing of what a command says it has done, before anything follows it. */
const uncommitted = async (
  world: World,
  tried: Case,
  { committed }: Reference,
  end: End,
): Promise<ReadonlyArray<Problem>> => {
  if (end !== "ended well" && end !== "complete") return []
  const { facts } = await contentOf(warehouse(world, tried))
  return differences("the warehouse after a command that ended well", facts, committed)
}

/** What a command left as a backup is one, or is refused in a sentence. */
const backupHolds = async (
  world: World,
  { backup }: Case,
  { backedUp }: Reference,
  once: Once,
  end: End,
): Promise<ReadonlyArray<Problem>> => {
  if (backup === undefined) return []
  const files = digestOf(stateOf(world.root), `${backup}/`)
  return once(`restored, ${end}`, files, async () => {
    const into = world.outside("restored")
    rmSync(into, { recursive: true, force: true })
    const result = await world.run(["restore", backup, "--data-dir", into])
    if (result.code === 0) {
      const { rows } = await contentOf(join(into, "vaulthouse.duckdb"))
      return differences("the restored backup", rows, backedUp)
    }
    if (end === "complete" || end === "ended well")
      return [{ kind: "lost", text: ended("restore of the backup", result) }]
    const why = unclearEnd(result)
    return why === undefined ? [] : [{ kind: "unclear", text: `restore of the backup: ${why}` }]
  })
}

/**
 * A series of which only the newest window is committed: that it began within that window is not remembered, so the window before
 * it is requested too.
 */
const isPartOfSeries = (
  task: string,
  missing: number,
  committed: Readonly<Record<string, number>>,
): boolean => task.startsWith("ratio_history ") && missing > 0 && (committed[task] ?? 0) > 0

/** Requests of the last sync that committed tasks had already made. */
const tooMany = (
  found: Pick<Content, "requests">,
  reference: Reference,
  sent: number,
): ReadonlyArray<Problem> => {
  const problems: Array<Problem> = []
  const last = newest(found)
  const repeated = sums(found, (run) => run === last)
  const committed = sums(found, (run) => run !== last && !reference.known.includes(run))
  let allowed = 0
  for (const [task, count] of Object.entries(repeated)) {
    const missing = Math.max(0, (reference.requests[task] ?? 0) - (committed[task] ?? 0))
    const again = isPartOfSeries(task, missing, committed) ? 1 : 0
    const bound = missing + (reference.requestsAfter[task] ?? 0) + again
    allowed += bound
    if (count > bound)
      problems.push({ kind: "other", text: `${task}: ${count} requests instead of ${bound}` })
  }
  if (sent > allowed)
    problems.push({
      kind: "other",
      text: `${sent} requests instead of ${allowed}: ${JSON.stringify({ repeated, committed, runs: found.requests })}`,
    })
  return problems
}
