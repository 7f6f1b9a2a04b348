// Cuts the connections of syncs and moves in a lake at every kind of message, and says what was lost by it:
//   main.ts [FOLDER] [--slice] [--minutes 40] [--seed 1] [--shards 2] [--shard 0] [--scenario NAME] [--only "NAME/123/after/one"]
// FOLDER keeps what has been tried, so that a later call goes on from there; without it, what was tried is committed with the
// figures too, for other machines. docs/reliability.md has the figures.
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
import { type Cut, losses, ways } from "./postgresProxy.ts"
import { type Attempt, type Message, type Scenario, scenarios, wayApplies } from "./scenarios.ts"
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
/** What was tried counts as long as these are the same. */
const source = git("rev-parse", "HEAD:src", "HEAD:warehouse").replaceAll(/\s/g, "").slice(0, 60)

interface Case extends Cut {
  readonly scenario: string
  /** Of the message that is meant to be cut; of one that was tried, of the message that was. */
  readonly kind: string
}

interface Tried extends Case {
  readonly source: string
  readonly seed: number
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
  readonly kinds: number
  /** Cuts of a whole proof. */
  readonly planned: number
}

type Line = { readonly counted: Counted } | { readonly tried: Tried }

const nameOf = ({ scenario, at, way, loss }: Case): string => `${scenario}/${at}/${way}/${loss}`

const cutName = ({ at, way, loss }: Case): string => `${at}/${way}/${loss}`

/** As `--only` takes them: `NAME/12/after/one+131/before/process,40/answer/all` are two runs. */
const attemptName = ({ name }: Scenario, runs: ReadonlyArray<Run>): string =>
  `${name}/${runs.map(({ cuts }) => cuts.map(cutName).join("+")).join(",")}`

/** The reverse of `attemptName`, of one run; `kind` is that of the message. */
const cutsNamed =
  (scenario: string, kind: (at: number) => string) =>
  (names: string): ReadonlyArray<Case> =>
    names.split("+").map((name) => {
      const [number = "", ...words] = name.split("/")
      const at = Number(number)
      const way = ways.find((each) => each === words[0])
      const loss = losses.find((each) => each === words[1])
      if (!(at > 0) || way === undefined || loss === undefined) {
        throw new Error(`--only: ${name} is not NUMBER/${ways.join("|")}/${losses.join("|")}`)
      }
      return { scenario, at, way, loss, kind: kind(at) }
    })

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

const kindAt = (messages: ReadonlyArray<Message>, at: number): string =>
  kindOf(messages[at - 1]?.text ?? "")

const byMessage = (one: Case, other: Case): number => one.at - other.at

/** Where its answer is lost, nobody knows at first whether anything was stored. */
const COMMIT = "COMMIT COMMIT"

/** Every cut of a whole proof. The way and the loss change from message to message; a COMMIT is cut in every way. */
const casesOf = (scenario: Scenario, messages: ReadonlyArray<Message>) => {
  const { name, plan } = scenario
  const cuts = messages.flatMap(({ text, isAnswered }, index) => {
    const possible = ways.filter((way) => wayApplies(way, isAnswered))
    const turn = index + seed
    const lossTurn = Math.floor(turn / possible.length) % scenario.losses.length
    const loss = scenario.losses[lossTurn] ?? "one"
    const kind = kindOf(text)
    const cut = (way: Cut["way"]): Case => ({ scenario: name, at: index + 1, way, loss, kind })
    if (plan === "every way" || kind === COMMIT) return possible.map(cut)
    return [cut(possible[turn % possible.length] ?? "before")]
  })
  const all = shuffled(cuts, randomFrom(seed))
  if (plan === "every way") return all
  const groupOf = ({ kind, way }: Case): string => (kind === COMMIT ? `${kind} ${way}` : kind)
  const ofKinds = [...new Map(all.map((each) => [groupOf(each), each])).values()]
  if (plan === "kinds") return ofKinds
  // One of each kind first: a proof that is stopped has cut as many kinds as it can. Each part is in the order of messages, so
  // that an attempt can cut several.
  const isFirst = new Set(ofKinds)
  return [...ofKinds.toSorted(byMessage), ...cuts.filter((each) => !isFirst.has(each))]
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

/**
 * What needs no cut any more. Two runs do not send exactly the same messages: of those that are cut once, a number is over with
 * whichever cut, as long as the kind of its message was cut anywhere.
 */
const knownIn = ({ name, plan }: Scenario, before: ReadonlyArray<Tried>) => {
  const here = before.filter(({ scenario }) => scenario === name)
  const cuts = new Set(here.map(nameOf))
  const numbers = new Set(here.map(({ at }) => at))
  const kinds = new Set(here.map(({ kind }) => kind))
  return (each: Case): boolean =>
    plan === "once" && each.kind !== COMMIT
      ? numbers.has(each.at) && kinds.has(each.kind)
      : cuts.has(nameOf(each))
}

/** So much more of the time for what is cut at each message. */
const shareOf = ({ plan }: Scenario): number => (plan === "once" ? 3 : 1)

/** One shard: takes some scenarios, since making what they begin in takes long; of a single one, and of those that are cut at each message, some cases. */
const runShard = async (shard: number, until: number): Promise<boolean> => {
  let isWell = true
  const keep = (line: Line): void =>
    appendFileSync(join(folder, `shard-${shard}.ndjson`), `${JSON.stringify(line)}\n`)
  const world = await startWorld()
  const examiner = await startExaminer(world.store.port)
  const before = triedBefore()
  const all = scenarios(world, examiner)
  const named = all.filter(
    ({ name }, at) =>
      (!values.slice || at === day % all.length) &&
      (values.scenario === undefined || name === values.scenario) &&
      (values.only === undefined || values.only.startsWith(`${name}/`)),
  )
  const isSplit = ({ plan }: Scenario): boolean => named.length === 1 || plan === "once"
  const wanted = named.filter((each, at) => isSplit(each) || at % shards === shard)
  try {
    for (const [index, scenario] of wanted.entries()) {
      const shares = wanted.slice(index).reduce((sum, each) => sum + shareOf(each), 0)
      const end = Date.now() + (Math.max(0, until - Date.now()) * shareOf(scenario)) / shares
      await scenario.prepare()
      await scenario.begin()
      const seenBefore = await scenario.seen?.()
      const runsBefore = runsIn(await scenario.committed())
      const whole = await scenario.attempt()
      const { ended, sent: messages } = whole
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
      const every = casesOf(scenario, messages)
      const kinds = new Set(messages.map(({ text }) => kindOf(text))).size
      const counted = { scenario: scenario.name, source, messages: messages.length, kinds }
      keep({ counted: { ...counted, planned: every.length } })
      const only = values.only
        ?.slice(scenario.name.length + 1)
        .split(",")
        .map(cutsNamed(scenario.name, (at) => kindAt(messages, at)))
      const isKnown = knownIn(scenario, before)
      const left = new Set(
        only?.flat() ??
          every.filter(
            (each, at) => (!isSplit(scenario) || at % shards === shard) && !isKnown(each),
          ),
      )
      const last = only === undefined ? end : Infinity
      const survived: Survived = new Map()
      // However slow the machine: a call that tries nothing would show nothing.
      for (let attempts = 0; left.size > 0 && (attempts === 0 || Date.now() <= last); attempts++) {
        const next = (earlier: ReadonlyArray<Run>): ReadonlyArray<Case> => {
          if (only !== undefined) return only[earlier.length] ?? []
          const made = new Set(earlier.flatMap((run) => run.made))
          const uncut = [...left].filter((each) => !made.has(each))
          return earlier.length === mostRuns(scenario)
            ? []
            : together(scenario, uncut, survived, attempts, earlier.length)
        }
        const result = await tryOnce(scenario, next, expected, world.service.requests)
        const { runs, problems, seconds } = result
        const attempt = attemptName(scenario, runs)
        const tried = { source, seed, attempt, problems: [], seconds: 0 }
        // Two runs do not send exactly as many messages: what a first one did not reach even alone is left out.
        const [first] = runs
        const [unreached] = first?.made.length === 0 ? first.cuts : []
        const made = [
          ...(unreached === undefined ? [] : [{ ...unreached, ...tried, end: NOT_REACHED }]),
          ...runs.flatMap(({ made: ofRun, sent, end: how }) =>
            ofRun.map((each) => ({ ...each, ...tried, kind: kindAt(sent, each.at), end: how })),
          ),
        ]
        // A problem is counted once, with the first cut of its attempt.
        for (const [at, each] of made.entries()) {
          keep({ tried: at === 0 ? { ...each, problems, seconds: seconds / shards } : each })
        }
        for (const run of runs) learn(survived, run)
        for (const each of [...runs.flatMap((run) => run.made), unreached]) {
          if (each !== undefined) left.delete(each)
        }
        isWell &&= problems.length === 0
        for (const { what } of problems) {
          process.stdout.write(
            `FAILED ${attempt}: ${what}\n  again: make proof-lake ARGS='--only "${attempt}"'\n`,
          )
        }
        if (only === undefined) continue
        const ends = runs.map((run) => `${run.made.length} cuts, ${run.end}`).join("; ")
        process.stdout.write(`${attempt}: ${ends}\n`)
        break
      }
    }
  } finally {
    await world.close()
  }
  return isWell
}

/** So many messages between two cuts of a run, in which it goes on from the first. */
const APART = 80

/** A run with more of them takes longer than the slice of CI may. */
const CUTS_OF_SLICE = 3

/** The most runs of an attempt, each of which begins where the one before it ended. */
const RUNS = 12

/** As many as the slice of CI has time for. */
const RUNS_OF_SLICE = 2

const mostRuns = ({ plan }: Scenario): number => {
  if (plan !== "once") return 1
  return values.slice ? RUNS_OF_SLICE : RUNS
}

const blockOf = ({ at }: Case): number => Math.floor(at / APART)

/** By block of messages: runs that went on after a cut there, less those that it ended. */
type Survived = Map<number, number>

/**
 * What one run can cut: where runs go on, far enough from each other, and at last where runs end, by turns the kill of the process
 * and whichever is next. The last run of an attempt has no such end, nor has the first of every second one.
 */
const together = (
  scenario: Scenario,
  left: ReadonlyArray<Case>,
  survived: Survived,
  attempt: number,
  run: number,
): ReadonlyArray<Case> => {
  if (scenario.plan !== "once") return left.slice(0, 1)
  const goesOn = (each: Case): boolean =>
    each.loss !== "process" && (survived.get(blockOf(each)) ?? 0) >= 0
  const ends = left.filter((each) => !goesOn(each))
  const killed = (attempt + run) % 2 === 1 ? ends.find(({ loss }) => loss === "process") : undefined
  const isLeftAlone = run === mostRuns(scenario) - 1 || (run === 0 && attempt % 2 === 0)
  const end = isLeftAlone ? undefined : (killed ?? ends[0])
  const cuts: Array<Case> = []
  for (const each of left) {
    const isFarEnough =
      each.at >= (cuts.at(-1)?.at ?? -APART) + APART && each.at <= (end?.at ?? Infinity) - APART
    if (goesOn(each) && isFarEnough) cuts.push(each)
  }
  const most = values.slice ? CUTS_OF_SLICE : Infinity
  if (end !== undefined) return [...cuts.slice(0, most - 1), end]
  // All that is left ends a run.
  return cuts.length > 0 ? cuts.slice(0, most) : left.slice(0, 1)
}

const learn = (survived: Survived, { made, end }: Run): void => {
  for (const [index, each] of made.entries()) {
    if (each.loss === "process") continue
    const isLast = index === made.length - 1 && end !== "0"
    survived.set(blockOf(each), (survived.get(blockOf(each)) ?? 0) + (isLast ? -1 : 1))
  }
}

/** The end of a first run that sent fewer messages than the uninterrupted one. */
const NOT_REACHED = "not reached"

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

/** A check reads every table in a lake by its own statements, and takes as long as several tries. */
const CHECKED_EVERY = 25
/** Where an attempt has gone on by itself and left what an uninterrupted one leaves, so many of them are looked at further. */
const WHOLE_EVERY = 4

/** Of the command, within an attempt. */
interface Run {
  readonly cuts: ReadonlyArray<Case>
  /** Those of `cuts` that it reached. */
  readonly made: ReadonlyArray<Case>
  readonly sent: ReadonlyArray<Message>
  readonly end: string
}

interface Outcome extends Pick<Tried, "problems" | "seconds"> {
  readonly runs: ReadonlyArray<Run>
}

/** `next` gives the cuts of the run that follows some; none: no run follows. */
const tryOnce = async (
  scenario: Scenario,
  next: (before: ReadonlyArray<Run>) => ReadonlyArray<Case>,
  expected: Expected,
  requests: () => number,
): Promise<Outcome> => {
  const began = performance.now()
  const problems: Array<Problem> = []
  const add = (kind: Problem["kind"], what: string) => void problems.push({ kind, what })
  const runs: Array<Run> = []
  const outcome = (): Outcome => ({ problems, runs, seconds: secondsSince(began) })
  const run = async (cuts: ReadonlyArray<Case>): Promise<Attempt> => {
    const attempt = await scenario.attempt(cuts)
    const { ended, mustEndWell } = attempt
    const made = cuts.filter((each) => attempt.made.includes(each))
    const end = String(ended.code ?? ended.signal)
    runs.push({ cuts, made, sent: attempt.sent, end })
    const isProcess = made.some(({ loss }) => loss === "process")
    const isKilled = isProcess && ended.signal === "SIGKILL"
    const why = isKilled ? undefined : unclear(ended)
    if (why !== undefined) add("unclear", why)
    // One loss must not end it. Where it meets one after the other, or the server is lost to all, it may give up in words.
    const isAlone = made.length === 1 && made[0]?.loss !== "server"
    if (mustEndWell && isAlone && ended.code !== 0) {
      add("other", `ended with ${end} although another went on: ${ended.complaints.slice(-600)}`)
    }
    if (scenario.seen !== undefined && !expected.seen.includes(textOf(await scenario.seen()))) {
      add("other", "the published copy is neither the one before nor the one after")
    }
    // What a killed process had not committed, and that alone, is requested once more by whoever goes on.
    const given = made.filter(
      ({ loss }) => loss === "process" || (attempt.isShared === true && loss === "server"),
    )
    const mostRequests = expected.requests * (1 + given.length)
    if (ended.code === 0 && attempt.requests > mostRequests) {
      add("other", `${attempt.requests} requests instead of ${mostRequests}`)
    }
    const isOver = ended.code === 0 || made.length === 0 || problems.length > 0
    const following = isOver ? [] : next(runs)
    return following.length === 0 ? attempt : run(following)
  }
  try {
    await scenario.begin()
    const cuts = next([])
    const attempt = await run(cuts)
    const isAsUsual =
      runs.length === 1 &&
      attempt.ended.code === 0 &&
      differences(expected.content, await scenario.content()).length === 0
    const at = cuts[0]?.at ?? 0
    if (isAsUsual && at % WHOLE_EVERY !== 0 && problems.length === 0) return outcome()
    const committed = requestsOf(await scenario.committed(), expected.runsBefore)
    const sent = requests()
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
    const repeated = requests() - sent
    if (repeated > most) add("other", `${repeated} requests of the next command instead of ${most}`)
    if (at % CHECKED_EVERY === 0) problems.push(...((await scenario.checked?.()) ?? []))
  } catch (cause) {
    add("other", `could not be examined: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
  return outcome()
}

const secondsSince = (began: number): number => Math.round(performance.now() - began) / 1000

/** What was tried, once each. */
const linesOnce = (): ReadonlyArray<Line> => {
  const once = new Map<string, Line>()
  for (const line of linesBefore()) {
    once.set("tried" in line ? nameOf(line.tried) : line.counted.scenario, line)
  }
  return [...once.values()]
}

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
  const tried = lines
    .flatMap((line) => ("tried" in line ? [line.tried] : []))
    .filter(({ end }) => end !== NOT_REACHED)
  const counted = new Map(
    lines.flatMap((line) =>
      "counted" in line ? [[line.counted.scenario, line.counted] as const] : [],
    ),
  )
  const share = (made: number, of: number): string => `${made} of ${of}`
  const coverage = [...counted.values()].map(({ scenario, messages, kinds }) => {
    const here = tried.filter((each) => each.scenario === scenario)
    const cut = new Set(here.map(({ at }) => at)).size
    // Another run may send kinds that the counted one did not.
    const kindsCut = Math.min(kinds, new Set(here.map(({ kind }) => kind)).size)
    return `${scenario}: ${share(cut, messages)} messages, ${share(kindsCut, kinds)} kinds of message`
  })
  return {
    title: "The lake: every message to PostgreSQL and the object store",
    text: `A proxy counts the messages to PostgreSQL and the requests to the object store, and loses a connection, all connections, the process or the server at one of them: before it is delivered, in its middle, after its effect and before the answer, and in the middle of the answer. PostgreSQL runs with fsync on, and is stopped in its mode \`immediate\`. Then a plain command follows, and the rows, their responses, a replay into an empty warehouse and the published copy are compared with an uninterrupted run's. Each message is cut once, in a way and with a loss that change from message to message (seed ${seed}), and each COMMIT in every way; a run that goes on is cut again, ${APART} messages later or more, and one that ends is followed by the next, up to ${RUNS} in a row, before the plain command. Of moves and of a publication, which send thousands of messages that read, one of each kind is cut. Cut so far: ${coverage.join("; ")}.`,
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
process.exit(codes.every((code) => code === 0) && figures.failures.length === 0 ? 0 : 1)
