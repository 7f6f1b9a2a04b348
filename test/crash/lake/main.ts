// Cuts the connections of syncs and moves in a lake at every kind of message, and says what was lost by it:
//   main.ts [FOLDER] [--slice] [--minutes 40] [--seed 1] [--shard 0/2] [--scenario NAME] [--only "NAME/123/after/one"]
// FOLDER keeps what has been tried, so that a later call goes on from there. docs/reliability.md has the figures.
import { execFileSync, spawn } from "node:child_process"
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { type Content, type Problem, startExaminer } from "./examine.ts"
import { type Cut, ways } from "./postgresProxy.ts"
import { type Message, type Scenario, scenarios, wayApplies } from "./scenarios.ts"
import { type Ended, startWorld } from "./world.ts"

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: "string", default: "40" },
    seed: { type: "string", default: "1" },
    shard: { type: "string" },
    scenario: { type: "string" },
    only: { type: "string" },
    slice: { type: "boolean", default: false },
  },
})
const SHARDS = 2
const IN_MEMORY = "/dev/shm"
if (existsSync(IN_MEMORY)) process.env["TMPDIR"] ??= IN_MEMORY
const kept = values.slice
  ? () => mkdtempSync(join(tmpdir(), "vaulthouse-lakecrash-"))
  : () => "node_modules/.cache/crash-lake"
const folder = positionals[0] ?? kept()
// What CI tries moves on with the date.
const day = Math.floor(Date.now() / 86_400_000)
const seed = values.slice ? day : Number(values.seed)
const minutes = values.slice ? 0.7 : Number(values.minutes)
const git = (...args: ReadonlyArray<string>): string =>
  execFileSync("git", args, { encoding: "utf8" }).trim()
/** What was tried counts as long as these are the same. */
const source = git("rev-parse", "HEAD:src", "HEAD:warehouse").replaceAll(/\s/g, "").slice(0, 60)

interface Case extends Cut {
  readonly scenario: string
  readonly kind: string
}

interface Tried extends Case {
  readonly source: string
  readonly seed: number
  /** How the command ended that was cut: its exit code, or the signal. */
  readonly end: string
  readonly problems: ReadonlyArray<Problem>
  readonly seconds: number
}

interface Counted {
  readonly scenario: string
  readonly source: string
  /** Of the uninterrupted attempt. */
  readonly messages: number
  readonly kinds: number
  /** Cuts of a whole proof. */
  readonly planned: number
}

type Line = { readonly counted: Counted } | { readonly tried: Tried }

const nameOf = ({ scenario, at, way, loss }: Case): string => `${scenario}/${at}/${way}/${loss}`

/** A generator of numbers from 0 to 1 (mulberry32). */
const randomFrom = (start: number) => {
  let state = start
  return () => {
    state = (state + 0x6d2b_79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const shuffled = <A>(list: ReadonlyArray<A>, random: () => number): ReadonlyArray<A> =>
  list
    .map((each) => [random(), each] as const)
    .toSorted(([one], [other]) => one - other)
    .map(([, each]) => each)

/** A statement by what it does and to which table. */
const kindOf = (text: string): string => {
  const [verb = ""] = text.trim().split(/[\s(]/)
  const [, table = ""] =
    /(?:FROM|INTO|UPDATE|TABLE) (?:\(SELECT[^"]*FROM )?((?:"?\w+"?\.)*"?\w+"?)/i.exec(text) ?? []
  return `${verb} ${table === "" ? text.trim().slice(0, 40) : table}`.replaceAll(
    /effect_\w+|\d+/g,
    "#",
  )
}

/** Every cut, in the order in which they are tried: every kind of message in every way, every message, then the rest. */
const casesOf = (scenario: Scenario, messages: ReadonlyArray<Message>) => {
  const cuts = messages.flatMap(({ text, isAnswered }, index) =>
    ways
      .filter((way) => wayApplies(way, isAnswered))
      .flatMap((way) =>
        scenario.losses.map((loss): Case => ({
          scenario: scenario.name,
          at: index + 1,
          way,
          loss,
          kind: kindOf(text),
        })),
      ),
  )
  const all = shuffled(cuts, randomFrom(seed))
  const first = (keyOf: (each: Case) => string) => {
    const seen = new Set<string>()
    return all.filter((each) => {
      const key = keyOf(each)
      return !seen.has(key) && seen.add(key)
    })
  }
  const ofEachKind = first(({ kind, way }) => `${kind}/${way}`)
  const ofEachMessage = first(({ at }) => String(at))
  return {
    planned: ofEachKind.length,
    cases: [...new Set([...ofEachKind, ...ofEachMessage, ...all])],
  }
}

const DOCUMENTED = new Set([0, 1, 3, 75])

/** What is not clear to a user in how a command ended. */
const unclear = ({ code, signal, complaints }: Ended): string | undefined => {
  if (signal !== null || code === null) return `ended by ${signal}: ${complaints.slice(0, 300)}`
  if (!DOCUMENTED.has(code)) return `ended with the exit code ${code}`
  // Besides logs, and what libpq prints of what the server says to it.
  const lines = complaints
    .split("\n")
    .filter((line) => !/^($|\{|WARNING: {2}terminating)/.test(line))
  const isClear =
    code === 0 ||
    (lines.length === 1 &&
      /^vaulthouse: [^\n]*\.$/.test(lines[0] ?? "") &&
      !/SELECT |COPY |\(\)|unexpected error|Stack|\n\s+at /.test(lines[0] ?? ""))
  return isClear
    ? undefined
    : `ended without one clear sentence: ${lines.join(" | ").slice(0, 600)}`
}

const files = (): ReadonlyArray<string> =>
  existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".ndjson")) : []

const linesBefore = (): ReadonlyArray<Line> =>
  files().flatMap((name) =>
    readFileSync(join(folder, name), "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Line),
  )

const triedBefore = (): ReadonlyArray<Tried> =>
  linesBefore().flatMap((line) =>
    "tried" in line && line.tried.source === source ? [line.tried] : [],
  )

/** One shard: takes every second case of each scenario in turn. */
const runShard = async (shard: number, until: number): Promise<boolean> => {
  let isWell = true
  const keep = (line: Line): void =>
    appendFileSync(join(folder, `shard-${shard}.ndjson`), `${JSON.stringify(line)}\n`)
  const world = await startWorld()
  const examiner = await startExaminer(world.store.port)
  const known = new Set(triedBefore().map(nameOf))
  const all = scenarios(world, examiner)
  const wanted = all.filter(
    ({ name }, at) =>
      (!values.slice || at === day % all.length) &&
      (values.scenario === undefined || name === values.scenario) &&
      (values.only === undefined || values.only.startsWith(`${name}/`)),
  )
  try {
    for (const [index, scenario] of wanted.entries()) {
      const end = Date.now() + Math.max(0, until - Date.now()) / (wanted.length - index)
      await scenario.prepare()
      await scenario.begin()
      const { ended, sent: messages } = await scenario.attempt()
      if (ended.code !== 0) throw new Error(`${scenario.name}: ${ended.code} ${ended.complaints}`)
      const expected = await scenario.content()
      const { planned, cases: every } = casesOf(scenario, messages)
      const kinds = new Set(messages.map(({ text }) => kindOf(text))).size
      const counted = { scenario: scenario.name, source, messages: messages.length, kinds }
      keep({ counted: { ...counted, planned } })
      const cases =
        values.only === undefined
          ? every.filter((each, at) => at % SHARDS === shard && !known.has(nameOf(each)))
          : every.filter((each) => nameOf(each) === values.only)
      for (const each of cases) {
        if (Date.now() > end && values.only === undefined) break
        const tried = await tryOne(scenario, each, expected)
        keep({ tried })
        isWell &&= tried.problems.length === 0
        for (const { what } of tried.problems) {
          process.stdout.write(
            `FAILED ${nameOf(each)} (${each.kind}): ${what}\n  again: make proof-lake ARGS='--only "${nameOf(each)}"'\n`,
          )
        }
        if (values.only !== undefined) {
          process.stdout.write(`${nameOf(each)} (${each.kind}): ${tried.end}\n`)
        }
      }
    }
  } finally {
    await world.close()
  }
  return isWell
}

/** The end of an attempt that sent fewer messages than the uninterrupted one. */
const NOT_REACHED = "not reached"

const tryOne = async (scenario: Scenario, each: Case, expected: Content): Promise<Tried> => {
  const began = performance.now()
  const problems: Array<Problem> = []
  const add = (kind: Problem["kind"], what: string) => void problems.push({ kind, what })
  let end = ""
  try {
    await scenario.begin()
    const attempt = await scenario.attempt(each)
    const { ended, mustEndWell, hasCut } = attempt
    end = hasCut ? String(ended.code ?? ended.signal) : NOT_REACHED
    const isKilled = each.loss === "process" && ended.signal === "SIGKILL"
    const why = isKilled ? undefined : unclear(ended)
    if (why !== undefined) add("unclear", why)
    if (mustEndWell && ended.code !== 0) {
      add("other", `ended with ${end} although another went on: ${ended.complaints.slice(-600)}`)
    }
    const recovered = await scenario.recover(attempt)
    if (recovered.code === 0) problems.push(...(await scenario.examine(expected)))
    else {
      add(
        "other",
        `the next command ended with ${recovered.code ?? recovered.signal}: ${recovered.complaints.slice(-600)}`,
      )
    }
  } catch (cause) {
    add("other", `could not be examined: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
  const seconds = Math.round(performance.now() - began) / 1000
  return { ...each, source, seed, end, problems, seconds }
}

/** The figures of everything that was tried, as test/crash/README.md describes them. */
const figuresOf = () => {
  const lines = linesBefore()
  const tried = [...new Map(triedBefore().map((each) => [nameOf(each), each])).values()].filter(
    ({ end }) => end !== NOT_REACHED,
  )
  const counted = new Map(
    lines.flatMap((line) =>
      "counted" in line && line.counted.source === source
        ? [[line.counted.scenario, line.counted] as const]
        : [],
    ),
  )
  const share = (made: number, of: number): string => `${made} of ${of}`
  const coverage = [...counted.values()].map(({ scenario, messages, kinds }) => {
    const here = tried.filter((each) => each.scenario === scenario)
    const cut = new Set(here.map(({ at }) => at)).size
    const kindsCut = new Set(here.map(({ kind }) => kind)).size
    return `${scenario}: ${share(cut, messages)} messages, ${share(kindsCut, kinds)} kinds of message`
  })
  return {
    title: "The lake: every message to PostgreSQL and the object store",
    text: `A proxy counts the messages to PostgreSQL and the requests to the object store, and loses a connection, all connections, the process or the server at one of them: before it is delivered, in its middle, after its effect and before the answer, and in the middle of the answer. PostgreSQL runs with fsync on, and is stopped in its mode \`immediate\`. Then a plain command follows, and the rows, their responses, a replay into an empty warehouse and the published copy are compared with an uninterrupted run's. The messages are a sample by seed ${seed}, each kind of message first. Cut so far: ${coverage.join("; ")}.`,
    effects: "messages to PostgreSQL, requests to the object store",
    commit: git("rev-parse", "--short", "HEAD"),
    date: new Date().toISOString().slice(0, 10),
    minutes: Math.round(tried.reduce((sum, { seconds }) => sum + seconds, 0) / 60 / SHARDS),
    commands: [...counted.values()].map(({ scenario, messages, planned }) => {
      const here = tried.filter((each) => each.scenario === scenario)
      const having = (kind: Problem["kind"]): number =>
        here.filter(({ problems }) => problems.some((each) => each.kind === kind)).length
      const byWay: Record<string, number> = {}
      for (const { way, loss } of here) {
        const name = `${loss}, ${way}`
        byWay[name] = (byWay[name] ?? 0) + 1
      }
      return {
        command: scenario,
        effects: messages,
        tried: byWay,
        distinct: here.length,
        planned,
        lost: having("lost"),
        doubled: having("doubled"),
        unclear: having("unclear"),
        other: having("other"),
      }
    }),
    failures: tried.flatMap(({ scenario, at, way, loss, problems }) =>
      problems.map(({ what }) => ({ command: scenario, way: `${loss}, ${way}`, at, what })),
    ),
  }
}

mkdirSync(folder, { recursive: true })
const until = Date.now() + minutes * 60_000
if (values.shard !== undefined || values.only !== undefined) {
  process.exit((await runShard(Number(values.shard ?? 0), until)) ? 0 : 1)
}
process.stdout.write(`Seed ${seed}, ${minutes} minutes; what was tried is kept in ${folder}\n`)
const shards = Array.from({ length: SHARDS }, (_, shard) => {
  const child = spawn(
    process.execPath,
    [import.meta.filename, folder, ...process.argv.slice(2), "--shard", String(shard)],
    { stdio: "inherit" },
  )
  return new Promise<number | null>((resolve) => child.once("exit", resolve))
})
const codes = await Promise.all(shards)
const figures = figuresOf()
const json = `${JSON.stringify(figures, undefined, 2)}\n`
if (values.slice) rmSync(folder, { recursive: true })
else {
  const place = join(import.meta.dirname, "../figures")
  mkdirSync(place, { recursive: true })
  writeFileSync(join(place, "lake.json"), json)
}
for (const {
  command,
  effects,
  distinct,
  lost,
  doubled,
  unclear: vague,
  other,
} of figures.commands) {
  process.stdout.write(
    `${command}: ${distinct} cuts in ${effects} messages; lost ${lost}, doubled ${doubled}, unclear ${vague}, other ${other}\n`,
  )
}
process.exit(codes.every((code) => code === 0) && figures.failures.length === 0 ? 0 : 1)
