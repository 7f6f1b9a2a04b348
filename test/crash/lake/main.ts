// Cuts the connections of syncs and moves in a lake at every kind of message, and says what was lost by it:
//   main.ts [FOLDER] [--slice] [--minutes 40] [--seed 1] [--shards 2] [--shard 0] [--scenario NAME] [--only "NAME/123/after/one"]
// FOLDER keeps what has been tried, so that a later call goes on from there; without it, what was tried is committed with the
// figures too, for other machines. docs/reliability.md has the figures.
import { execFileSync, spawn } from "node:child_process"
import { createHash } from "node:crypto"
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
import { dirname, join } from "node:path"
import { parseArgs } from "node:util"
import { gunzipSync, gzipSync } from "node:zlib"
import { writeFigures } from "../../reliability/page.ts"
import {
  type CommittedTask,
  type Content,
  differences,
  type Problem,
  startExaminer,
} from "./examine.ts"
import { type Cut, type Cutter, losses, type Sent, ways } from "./postgresProxy.ts"
import { type Attempt, type Scenario, scenarios, wayApplies } from "./scenarios.ts"
import { fingerprintOfLoaded } from "./source.ts"
import { type Ended, startWorld } from "./world.ts"

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: "string", default: "40" },
    seed: { type: "string", default: "1" },
    shards: { type: "string", default: "2" },
    shard: { type: "string" },
    scenario: { type: "string" },
    only: { type: "string" },
    slice: { type: "boolean", default: false },
  },
})
const shards = Number(values.shards)
// None would try nothing, and end well.
if (!Number.isInteger(shards) || shards < 1) {
  throw new Error(`--shards ${values.shards} is not a whole number from 1`)
}
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
/** What was tried counts as long as this is the same: what the commands load, and SQL. */
const source = `${fingerprintOfLoaded()}${git("rev-parse", "HEAD:warehouse").slice(0, 20)}`

/** A cut of a whole proof. */
interface Case extends Omit<Cut, "at"> {
  readonly scenario: string
  /** Of the message that is cut. */
  readonly kind: string
  /** What is the same of two cuts of which one is enough. */
  readonly name: string
}

interface Tried extends Case {
  readonly source: string
  readonly seed: number
  /** The number of the message in its run. */
  readonly at: number
  /** All cuts of the same attempt, as `--only` takes them. */
  readonly attempt: string
  /** How the run ended that was cut: its exit code, or the signal. */
  readonly end: string
  readonly problems: ReadonlyArray<Problem>
  /** Of the call: an attempt's, by the number of shards, which try at the same time. */
  readonly seconds: number
}

interface Counted {
  readonly scenario: string
  readonly source: string
  /** Of the uninterrupted attempt. */
  readonly messages: number
  /** The names of its cases. */
  readonly planned: ReadonlyArray<string>
}

type Line = { readonly counted: Counted } | { readonly tried: Tried }

const cutName = ({ at, way, loss }: Cut): string => `${at}/${way}/${loss}`

/** As `--only` takes them: `NAME/12/after/one+131/before/process,40/answer/all` are two runs. */
const attemptName = ({ name }: Scenario, runs: ReadonlyArray<Run>): string =>
  `${name}/${runs.map(({ made }) => made.map(cutName).join("+")).join(",")}`

/** The reverse of `attemptName`, of one run. */
const cutsNamed = (names: string): ReadonlyArray<Cut> =>
  names.split("+").map((name) => {
    const [number = "", ...words] = name.split("/")
    const at = Number(number)
    const way = ways.find((each) => each === words[0])
    const loss = losses.find((each) => each === words[1])
    if (!(at > 0) || way === undefined || loss === undefined) {
      throw new Error(`--only: ${name} is not NUMBER/${ways.join("|")}/${losses.join("|")}`)
    }
    return { at, way, loss }
  })

const nameOf = ({ kind, commits }: Sent, way: Cut["way"]): string =>
  commits ? `${kind}, ${way}` : kind

/** Every cut of a whole proof: of each kind of message one, of one that commits a change each way. */
const casesOf = ({ name: scenario, losses: possible }: Scenario, sent: ReadonlyArray<Sent>) => {
  const kinds = [...new Map(sent.map((each) => [each.kind, each])).values()]
  return kinds.flatMap((each, index): ReadonlyArray<Case> => {
    const { kind, commits } = each
    const applicable = ways.filter((way) => wayApplies(way, each.isAnswered))
    const turn = index + seed
    const chosen = commits ? applicable : [applicable[turn % applicable.length] ?? "before"]
    return chosen.map((way, at) => {
      const loss = possible[(Math.floor(turn / applicable.length) + at) % possible.length] ?? "one"
      return { scenario, kind, way, loss, name: nameOf(each, way) }
    })
  })
}

const DOCUMENTED = new Set([0, 1, 3, 75])

/** What is not clear to a user in how a command ended. */
const unclear = ({ code, signal, output, complaints }: Ended): string | undefined => {
  if (signal !== null || code === null) return `ended by ${signal}: ${complaints.slice(0, 300)}`
  if (!DOCUMENTED.has(code)) {
    return `ended with the exit code ${code}: ${`${output}${complaints}`.slice(-1000)}`
  }
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

/** What was tried, committed with the figures: a call on another machine goes on from there. */
const TRIED = join(import.meta.dirname, "../../reliability/tried/lake.ndjson.gz")

const linesBefore = (): ReadonlyArray<Line> =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".ndjson"))
    .flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n"))
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line)
    .filter((line) => ("tried" in line ? line.tried : line.counted).source === source)

const triedBefore = (): ReadonlyArray<Tried> =>
  linesBefore().flatMap((line) => ("tried" in line ? [line.tried] : []))

/** The same for the same text, and otherwise any. */
const numberOf = (text: string): number => createHash("sha1").update(text).digest().readUInt32BE()

/** As many cases as the slice of CI has time for. */
const CASES_OF_SLICE = 4

/** Other ones each day; of the few requests to an object store, of which a worker may send two, whichever comes. */
const sliceOf = ({ messages }: Scenario, cases: ReadonlyArray<Case>): Array<Case> =>
  cases
    .toSorted((one, other) => numberOf(`${seed} ${one.name}`) - numberOf(`${seed} ${other.name}`))
    .slice(0, messages === "PostgreSQL" ? CASES_OF_SLICE : Infinity)

/** One shard: takes some cases of each scenario. */
const runShard = async (shard: number, until: number): Promise<boolean> => {
  let isWell = true
  const keep = (line: Line): void =>
    appendFileSync(join(folder, `shard-${shard}.ndjson`), `${JSON.stringify(line)}\n`)
  const world = await startWorld()
  const examiner = await startExaminer(world.store.port)
  const before = triedBefore()
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
      const seenBefore = await scenario.seen?.()
      const runsBefore = runsIn(await scenario.committed())
      const whole = await scenario.attempt()
      const { ended, sent } = whole
      if (ended.code !== 0) throw new Error(`${scenario.name}: ${ended.code} ${ended.complaints}`)
      const content = await scenario.content()
      const seenAfter = await scenario.seen?.()
      const tasks = requestsOf(await scenario.committed(), runsBefore)
      const sentBefore = world.service.requests()
      await scenario.recover(whole)
      const expected: Expected = {
        content,
        seen: [seenBefore, seenAfter].map(textOf),
        requests: whole.requests,
        runsBefore,
        tasks,
        requestsAfter: world.service.requests() - sentBefore,
      }
      const every = casesOf(scenario, sent)
      const planned = every.map(({ name }) => name)
      keep({ counted: { scenario: scenario.name, source, messages: sent.length, planned } })
      const known = new Set(
        before.filter((each) => each.scenario === scenario.name).map(({ name }) => name),
      )
      const mine = every.filter(({ name }) => !known.has(name) && numberOf(name) % shards === shard)
      const left = values.slice ? sliceOf(scenario, mine) : mine
      const only = values.only
        ?.slice(scenario.name.length + 1)
        .split(",")
        .map(cutsNamed)
      const cutters = only === undefined ? cutting(left) : (run: number) => cuttingAt(only[run])
      const most = only === undefined ? left.length : 1
      // What is left are messages that not every run sends.
      let inVain = 0
      for (let at = 0; at < most && inVain < MOST_IN_VAIN; at++) {
        // However slow the machine: a call that tries nothing would show nothing.
        if (at > 0 && (left.length === 0 || Date.now() > end)) break
        const result = await tryOnce(scenario, cutters, at, expected, world.service.requests)
        const { runs, problems, seconds } = result
        const made = runs.flatMap((run) => run.made.map((cut) => [run, cut] as const))
        const attempt = attemptName(scenario, runs)
        // A problem is counted once, with the first cut of its attempt.
        for (const [number, [run, cut]] of made.entries()) {
          const message = run.sent[cut.at - 1]
          if (message === undefined) throw new Error(`There is no message ${cut.at}`)
          const { kind } = message
          const of = { scenario: scenario.name, source, seed, kind, name: nameOf(message, cut.way) }
          const first = { problems, seconds: seconds / shards }
          const what = number === 0 ? first : { problems: [], seconds: 0 }
          keep({ tried: { ...of, ...cut, ...what, attempt, end: run.end } })
        }
        isWell &&= problems.length === 0
        for (const { what } of problems) {
          process.stdout.write(
            `FAILED ${attempt}: ${what}\n  again: make proof-lake ARGS='--only "${attempt}"'\n`,
          )
        }
        if (only !== undefined) {
          const ends = runs.map((run) => `${run.made.length} cuts, ${run.end}`).join("; ")
          process.stdout.write(`${attempt}: ${ends}\n`)
        }
        inVain = made.length === 0 ? inVain + 1 : 0
      }
    }
  } finally {
    await world.close()
  }
  return isWell
}

/** So many messages between two cuts of a run, in which it goes on from the first. */
const APART = 80

/** So many attempts in a row that cut nothing end a scenario: of two workers, one may get no task. */
const MOST_IN_VAIN = 10

/** The most runs of an attempt, each of which begins where the one before it ended. */
const RUNS = 12

/** A cutter for a run, by its place in its attempt; none: no run follows. */
type Cutters = (run: number) => Cutter | undefined

/** Cuts the first message of any kind that is left, and takes it away; the next one once the run has gone on. */
const cutting =
  (left: Array<Case>): Cutters =>
  (run) => {
    if (run >= RUNS || left.length === 0) return undefined
    let lastAt = -APART
    return ({ kind }, at) => {
      if (at < lastAt + APART) return undefined
      const index = left.findIndex((each) => each.kind === kind)
      const [found] = index === -1 ? [] : left.splice(index, 1)
      if (found !== undefined) lastAt = at
      return found
    }
  }

const cuttingAt = (cuts: ReadonlyArray<Cut> | undefined): Cutter | undefined =>
  cuts && ((_, number) => cuts.find(({ at }) => at === number))

/** Of the uninterrupted attempt. */
interface Expected {
  readonly content: Content
  /** What readers of the published copy may see: the one before, and the one after. */
  readonly seen: ReadonlyArray<string>
  readonly requests: number
  /** Those that had committed tasks before it. */
  readonly runsBefore: ReadonlySet<string>
  /** Requests of each of its tasks. */
  readonly tasks: ReadonlyMap<string, number>
  /** Of the command that follows. */
  readonly requestsAfter: number
}

const runsIn = (tasks: ReadonlyArray<CommittedTask>): ReadonlySet<string> =>
  new Set(tasks.map(({ run }) => run))

/** By task, of all runs except those. */
const requestsOf = (
  tasks: ReadonlyArray<CommittedTask>,
  except: ReadonlySet<string>,
): ReadonlyMap<string, number> =>
  new Map(tasks.filter(({ run }) => !except.has(run)).map(({ task, requests }) => [task, requests]))

/** Rows of core, as text. */
const textOf = (content: Content | undefined): string =>
  JSON.stringify([...(content ?? [])].filter(([name]) => name.startsWith("core.")))

/** A check reads every table in a lake by its own statements, and takes as long as several tries: so many attempts have one. */
const CHECKED_EVERY = 10
/**
 * Where an attempt has gone on by itself and left the rows of an uninterrupted one, one in so many is looked at further, but each
 * of the few in which requests to an object store are cut.
 */
const WHOLE_EVERY = 4

/** Of the command, within an attempt. */
interface Run {
  readonly made: ReadonlyArray<Cut>
  readonly sent: ReadonlyArray<Sent>
  readonly end: string
}

interface Outcome extends Pick<Tried, "problems" | "seconds"> {
  readonly runs: ReadonlyArray<Run>
}

/** `at`: which attempt of the scenario it is. */
const tryOnce = async (
  scenario: Scenario,
  cutters: Cutters,
  at: number,
  expected: Expected,
  requests: () => number,
): Promise<Outcome> => {
  const began = performance.now()
  const problems: Array<Problem> = []
  const add = (kind: Problem["kind"], what: string) => void problems.push({ kind, what })
  const runs: Array<Run> = []
  const outcome = (): Outcome => ({ problems, runs, seconds: secondsSince(began) })
  const run = async (cutter: Cutter | undefined): Promise<Attempt> => {
    const attempt = await scenario.attempt(cutter)
    const { ended, mustEndWell, made, sent } = attempt
    const end = String(ended.code ?? ended.signal)
    runs.push({ made, sent, end })
    const isProcess = made.some(({ loss }) => loss === "process")
    const isKilled = isProcess && ended.signal === "SIGKILL"
    const why = isKilled ? undefined : unclear(ended)
    if (why !== undefined) add("unclear", why)
    for (const worker of attempt.workers ?? []) {
      const whyWorker = unclear(worker)
      if (whyWorker !== undefined) add("unclear", `a worker ${whyWorker}`)
    }
    // One loss must not end it. Where it meets one after the other, or the server is lost to all, it may give up in words.
    const isAlone = made.length === 1 && made[0]?.loss !== "server"
    if (mustEndWell && isAlone && ended.code !== 0) {
      add("other", `ended with ${end} although another went on: ${ended.complaints.slice(-600)}`)
    }
    if (scenario.seen !== undefined && !expected.seen.includes(textOf(await scenario.seen()))) {
      add("other", "the published copy is neither the one before nor the one after")
    }
    // What a killed process had not committed, and that alone, is requested once more by whoever goes on; so is what a worker gave
    // back, which takes a loss each time.
    const killed = made.filter(({ loss }) => loss === "process").length
    const givenBack = Math.min(attempt.givenBack ?? 0, made.length - killed)
    const mostRequests = expected.requests * (1 + killed + givenBack)
    if (ended.code === 0 && attempt.requests > mostRequests) {
      const logs = (attempt.workers ?? []).map((each) => `${each.output}${each.complaints}`)
      add(
        "other",
        `${attempt.requests} requests instead of ${mostRequests}; the workers: ${logs.join("; ")}`,
      )
    }
    const isOver = ended.code === 0 || made.length === 0 || problems.length > 0
    const following = isOver ? undefined : cutters(runs.length)
    return following === undefined ? attempt : run(following)
  }
  try {
    await scenario.begin()
    const attempt = await run(cutters(0))
    const isAsUsual =
      runs.length === 1 &&
      attempt.ended.code === 0 &&
      differences(expected.content, await scenario.content()).length === 0
    const isChosen = at % WHOLE_EVERY === 0 || scenario.messages === "object store"
    if (isAsUsual && !isChosen && problems.length === 0) return outcome()
    const committedTasks = await scenario.committed()
    const committed = requestsOf(committedTasks, expected.runsBefore)
    const sentBefore = requests()
    const recovered = await scenario.recover(attempt)
    if (recovered.code === 0) problems.push(...(await scenario.examine(expected.content)))
    else {
      add(
        "other",
        `the next command ended with ${recovered.code ?? recovered.signal}: ${recovered.complaints.slice(-600)}`,
      )
    }
    // What was committed, by whichever run, is not requested again.
    const needed = [...expected.tasks].filter(([task]) => !committed.has(task))
    const most = expected.requestsAfter + needed.reduce((sum, [, count]) => sum + count, 0)
    const repeated = requests() - sentBefore
    if (repeated > most) {
      const read = requestsOf(await scenario.committed(), runsIn(committedTasks))
      const each = [...read, ...needed].map(([task, count]) => `${task}: ${count}`)
      add(
        "other",
        `${repeated} requests of the next command instead of ${most}; what it read, and what was not committed before: ${each.join("; ")}`,
      )
    }
    if (at % CHECKED_EVERY === 0 || problems.length > 0) {
      problems.push(...((await scenario.checked?.()) ?? []))
    }
  } catch (cause) {
    add("other", `could not be examined: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
  return outcome()
}

const secondsSince = (began: number): number => Math.round(performance.now() - began) / 1000

/** What was tried, once each; of each scenario the recording that planned most, since a worker may have got no task. */
const linesOnce = (): ReadonlyArray<Line> => {
  const once = new Map<string, Line>()
  for (const line of linesBefore()) {
    const name =
      "tried" in line ? `${line.tried.scenario}: ${line.tried.name}` : line.counted.scenario
    const known = once.get(name)
    if (known === undefined || plannedIn(line) >= plannedIn(known)) once.set(name, line)
  }
  return [...once.values()]
}

const plannedIn = (line: Line): number => ("counted" in line ? line.counted.planned.length : 0)

const takeTried = (): void => {
  if (existsSync(TRIED))
    writeFileSync(join(folder, "others.ndjson"), gunzipSync(readFileSync(TRIED)))
}

const keepTried = (): void => {
  const text = linesOnce().map((line) => `${JSON.stringify(line)}\n`)
  mkdirSync(dirname(TRIED), { recursive: true })
  writeFileSync(TRIED, gzipSync(text.join(""), { level: 9 }))
}

/** The figures of everything that was tried, as test/crash/README.md describes them. */
const figuresOf = () => {
  const lines = linesOnce()
  const tried = lines.flatMap((line) => ("tried" in line ? [line.tried] : []))
  const counted = new Map(
    lines.flatMap((line) =>
      "counted" in line ? [[line.counted.scenario, line.counted] as const] : [],
    ),
  )
  return {
    title: "The lake: every message to PostgreSQL and the object store",
    text: `A proxy counts the messages to PostgreSQL and the requests to the object store, and loses a connection, all connections, the process or the server at one of them: before it is delivered, in its middle, after its effect and before the answer, and in the middle of the answer. PostgreSQL runs with fsync on, and is stopped in its mode \`immediate\`. Then a plain command follows, and the rows, their responses, a replay into an empty warehouse and the published copy are compared with an uninterrupted run's. Where a cut run went on by itself and left the same rows, the plain command and all but the rows are looked at in one of ${WHOLE_EVERY}. Messages are of one kind if they do the same to the same table after the same change was committed. Of each kind one is cut, in a way and with a loss that change from kind to kind (seed ${seed}); what commits a change, and each request to the object store, is cut in every way. A run that goes on is cut again, ${APART} messages later or more, and one that ends is followed by the next, up to ${RUNS} in a row, before the plain command.`,
    effects: "messages to PostgreSQL, requests to the object store",
    commit: git("rev-parse", "--short", "HEAD"),
    date: new Date().toISOString().slice(0, 10),
    minutes: Math.round(tried.reduce((sum, { seconds }) => sum + seconds, 0) / 60),
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
        distinct: new Set(here.map(({ attempt }) => attempt)).size,
        planned: planned.length,
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
const isOfRepository = !values.slice && positionals.length === 0
if (isOfRepository) takeTried()
const children = Array.from({ length: shards }, (_, shard) => {
  const child = spawn(
    process.execPath,
    [import.meta.filename, folder, ...process.argv.slice(2), "--shard", String(shard)],
    { stdio: "inherit" },
  )
  return new Promise<number | null>((resolve) => child.once("exit", resolve))
})
const codes = await Promise.all(children)
const figures = figuresOf()
if (values.slice) rmSync(folder, { recursive: true })
if (isOfRepository) {
  keepTried()
  writeFigures("lake", figures)
}
for (const {
  command,
  effects,
  tried,
  distinct,
  lost,
  doubled,
  unclear: vague,
  other,
} of figures.commands) {
  process.stdout.write(
    `${command}: ${Object.values(tried).reduce((sum, each) => sum + each, 0)} cuts of ${effects} messages, in ${distinct} attempts; lost ${lost}, doubled ${doubled}, unclear ${vague}, other ${other}\n`,
  )
}
// Of a proof, everything may have been cut before.
const isInVain = values.slice && figures.commands.every(({ distinct }) => distinct === 0)
if (isInVain) process.stdout.write("FAILED: no message was cut\n")
const isWell = codes.every((code) => code === 0) && figures.failures.length === 0 && !isInVain
process.exit(isWell ? 0 : 1)
