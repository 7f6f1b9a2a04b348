// Tries deaths of one command after the other; effects.c is preloaded. Its parent says which, and gets what was found.
import { spawn } from "node:child_process"
import { once } from "node:events"
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { type Case, cases } from "./cases.ts"
import { arm, disarm, type Failure } from "./control.ts"
import { ownPid } from "./clock.ts"
import { digestOf, Disk, materialise, type State, stateOf } from "./disk.ts"
import { afterDeath, type Once, type Reference, referenceOf } from "./expectations.ts"
import { type End, missed, type Problem, unclearEnd } from "./endings.ts"
import { type Kind, readJournal } from "./journal.ts"
import { digestOfDeath, failuresOf, nameOf, statesFor, statesOf, type Trial } from "./trials.ts"
import { uninitialised } from "./uninitialised.ts"
import type { Ended } from "../cli/command.ts"
import { World } from "./world.ts"

/** Of the processes that this one starts too. */
const sameEverywhere = Object.fromEntries(
  [...Object.keys(uninitialised), "PROVEN_SERVICE"].map((name) => [name, process.env[name] ?? ""]),
)

/** Where the worker's files are, and those of all workers: a folder for each command. */
const [folder = "", store = ""] = process.argv.slice(2)
const variable = (name: string): string => process.env[name] ?? ""
const control = variable("EFFECTS_CONTROL")
const journal = variable("EFFECTS_JOURNAL")

export interface Task {
  readonly command: string
  /** Record the command; else try every `of`-th trial from `part` on, except those done. */
  readonly record?: true
  readonly part: number
  readonly of: number
  readonly done: ReadonlyArray<string>
  /** Only trials with an error, or only those without. */
  readonly isFailure?: boolean
  /** Only this trial, or a choice of so many trials by the seed. */
  readonly only?: string
  readonly choice?: { readonly seed: number; readonly trials: number }
  /** Milliseconds since 1970. */
  readonly until: number
}

export interface Result {
  readonly command: string
  readonly trial: string
  readonly deaths: Readonly<Record<string, number>>
  readonly problems: ReadonlyArray<Problem>
  /** What became of a command with an injected error. */
  readonly note?: string
}

export interface Recording {
  readonly root: string
  readonly counts: Readonly<Record<Kind, number>>
  /** Of deaths in the last command. Those in the others have been tried alone. */
  readonly states: ReadonlyArray<Trial>
  readonly reference: Reference
}

const world = await World.start(folder)

/** Else there are effects on files that effects.c does not see. */
const mustEqual = (disk: Disk): void => {
  const [recorded, real] = [disk.state("kill"), stateOf(world.root)]
  if (digestOf(recorded) === digestOf(real)) return
  const differing = [...new Set([...recorded.keys(), ...real.keys()])].filter((path) => {
    // Named at random, and of no use to a later command.
    if (path.startsWith("data/tmp/")) return false
    const only = (state: State) => new Map([[path, state.get(path) ?? "absent"]])
    return digestOf(only(recorded)) !== digestOf(only(real))
  })
  if (differing.length === 0) return
  throw new Error(`the record is not complete: ${differing.join(", ")}`)
}

const recordCase = async (tried: Case): Promise<void> => {
  const kept = join(store, tried.name)
  rmSync(join(kept, "before"), { recursive: true, force: true })
  await tried.prepare(world)
  cpSync(world.root, join(kept, "before"), { recursive: true, verbatimSymlinks: true })
  world.at(tried.moment)
  truncateSync(journal, 0)
  let counts: Recording["counts"] | undefined
  let from = 1
  const reference = await referenceOf(world, tried, async (afterEach) => {
    try {
      for (const command of tried.commands) {
        from = readJournal(journal, world.root).length + 1
        arm(control)
        await world.must(...command)
        counts = disarm(control).byKind
        await afterEach()
      }
      const disk = Disk.of(join(kept, "before"))
      for (const effect of readJournal(journal, world.root)) disk.apply(effect)
      mustEqual(disk)
    } finally {
      copyFileSync(journal, join(kept, "journal"))
    }
  })
  if (counts === undefined) throw new Error("nothing was counted")
  const effects = readJournal(join(kept, "journal"), world.root)
  const states = statesOf(join(kept, "before"), effects, from)
  const recording: Recording = { root: world.root, counts, states, reference }
  writeFileSync(join(kept, "recording.json"), JSON.stringify(recording))
}

/** Runs the commands, the last one with an effect that fails. */
const fail = async (tried: Case, failure: Failure): Promise<ReadonlyArray<Problem>> => {
  for (const command of tried.commands.slice(0, -1)) await world.must(...command)
  const problems: Array<Problem> = []
  const unclear = (text: string) => void problems.push({ kind: "unclear", text })
  let result: Ended | undefined
  arm(control, failure)
  try {
    result = await world.run(tried.commands.at(-1) ?? [])
    const why = unclearEnd(result)
    if (why !== undefined) unclear(why)
  } catch (cause) {
    unclear(`threw ${String(cause)}`)
  } finally {
    const { failed } = disarm(control)
    note = failed === 0 ? "not reached" : result?.code === 0 ? "went on" : "ended"
  }
  if (result?.code === 0) {
    end = "ended well"
    const swallowed = missed(result, readJournal(journal, world.root))
    if (swallowed.length > 0)
      unclear(`ended with 0 although these failed: ${swallowed.slice(0, 5).join(", ")}`)
  } else end = result?.code === 3 && result.stdout.includes("left out") ? "left out" : "failed"
  return problems
}
let end: End = "died"
let note = ""
/** What this trial did not need to find again. */
let shared: Array<string> = []

/** Runs the last command in a process of its own, which is killed. `states`: digests of those that deaths leave. */
const killed = async (
  tried: Case,
  failure: Failure,
  states: ReadonlySet<string | undefined>,
): Promise<ReadonlyArray<Problem>> => {
  const launcher = join(import.meta.dirname, "../../bin/vaulthouse.js")
  for (const command of tried.commands.slice(0, -1)) await world.must(...command)
  const disk = Disk.of(world.root)
  arm(control, failure)
  const child = spawn(
    process.execPath,
    ["--import", join(import.meta.dirname, "clock.ts"), launcher, ...(tried.commands.at(-1) ?? [])],
    {
      cwd: world.root,
      env: {
        PATH: process.env["PATH"],
        ...world.environment,
        ...sameEverywhere,
        PROVEN_AT: tried.moment.now,
        // Node's files of compiled code are no effects of the command.
        NODE_DISABLE_COMPILE_CACHE: "1",
      },
      stdio: "ignore",
      // The signal goes to its group.
      detached: true,
    },
  )
  const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null]
  disarm(control)
  for (const effect of readJournal(journal, world.root)) disk.apply(effect)
  mustEqual(disk)
  if (code !== null) note = "not reached"
  if (code === 0) end = "ended well"
  else if (!states.has(digestOfDeath(stateOf(world.root)))) end = "killed"
  // It ends by the signal that it is sent, or well if it is through before.
  const isMeant = code === 0 || signal === "SIGKILL"
  return isMeant ? [] : [{ kind: "unclear", text: `ended with ${code ?? signal}` }]
}

/** What was found in files, by any worker; equal are those from which the next commands do the same. */
const onceIn =
  (found: string): Once =>
  async (what, files, find) => {
    const digest = typeof files === "string" ? files : digestOfDeath(files)
    const file = join(found, `${what}-${digest}.json`)
    if (existsSync(file)) {
      shared.push(what)
      return JSON.parse(readFileSync(file, "utf8")) as Awaited<ReturnType<typeof find>>
    }
    const result = await find()
    mkdirSync(found, { recursive: true })
    writeFileSync(`${file}.${ownPid}`, JSON.stringify(result))
    renameSync(`${file}.${ownPid}`, file)
    return result
  }

const attempt = async (
  tried: Case,
  kept: string,
  [trial, state]: readonly [Trial, State | undefined],
  { reference, states }: Pick<Recording, "reference" | "states">,
  isRepeated: boolean,
): Promise<ReadonlyArray<Problem>> => {
  world.clear()
  // One trial is repeated to see it happen.
  const onlyOnce: Once = isRepeated ? (_what, _files, find) => find() : onceIn(join(kept, "found"))
  const problems: Array<Problem> = []
  try {
    if (state !== undefined) materialise(state, world.root)
    else cpSync(join(kept, "before"), world.root, { recursive: true, verbatimSymlinks: true })
    world.at(tried.moment)
    truncateSync(journal, 0)
    note = ""
    shared = []
    end = trial.isOver === true ? "complete" : "died"
    if (trial.failure !== undefined) {
      if (trial.failure.way === "kill") {
        const digests = new Set(states.map(({ digest }) => digest))
        problems.push(...(await killed(tried, trial.failure, digests)))
      } else problems.push(...(await fail(tried, trial.failure)))
    }
    world.after(tried.moment)
    problems.push(
      // What is demanded depends on how the command ended, which equal files don't say.
      ...(await onlyOnce(`recovered, ${end}`, trial.digest ?? stateOf(world.root), () =>
        afterDeath(world, tried, reference, onlyOnce, end),
      )),
    )
  } catch (cause) {
    const text = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)
    problems.push({ kind: "other", text: `the proof failed: ${text}` })
  }
  return problems
}

const chosen = (trials: number, wanted: number, seed: number): ReadonlySet<number> => {
  const found = new Set<number>()
  // The golden ratio spreads successive numbers evenly over the trials.
  for (let at = 0; found.size < Math.min(wanted, trials); at += 1) {
    found.add(Math.floor((((seed * 131 + at) * 0.618_033_988_75) % 1) * trials))
  }
  return found
}

const run = async (task: Task): Promise<void> => {
  const tried = cases.find(({ name }) => name === task.command)
  if (tried === undefined) throw new Error(`no command ${task.command}`)
  if (task.record === true) return recordCase(tried)
  const kept = join(store, tried.name)
  const recording = JSON.parse(readFileSync(join(kept, "recording.json"), "utf8")) as Recording
  const before = join(kept, "before")
  const effects = readJournal(join(kept, "journal"), recording.root)
  const trials = [...recording.states, ...failuresOf(recording.counts)]
  const done = new Set(task.done)
  const choice =
    task.choice === undefined
      ? undefined
      : chosen(trials.length, task.choice.trials, task.choice.seed)
  const isWanted = (trial: Trial, at: number): boolean => {
    const name = nameOf(trial)
    if (task.only !== undefined) {
      const names = trial.deaths.flatMap((death) => [death.way, `${death.way} ${death.at}`])
      if (name !== task.only && !names.includes(task.only)) return false
    }
    if (task.isFailure !== undefined && task.isFailure !== (trial.failure !== undefined))
      return false
    if (choice !== undefined && !choice.has(at)) return false
    return at % task.of === task.part && !done.has(name)
  }
  const wanted = trials.filter(isWanted)
  const withStates = function* () {
    yield* statesFor(before, effects, wanted)
    for (const trial of wanted) if (trial.failure !== undefined) yield [trial, undefined] as const
  }
  for (const each of withStates()) {
    const [trial] = each
    if (performance.timeOrigin + performance.now() > task.until) break
    process.send?.({ starting: nameOf(trial) })
    const problems = await attempt(tried, kept, each, recording, task.only !== undefined)
    const deaths: Record<string, number> = {}
    for (const { way } of trial.deaths) deaths[way] = (deaths[way] ?? 0) + 1
    const result: Result = { command: tried.name, trial: nameOf(trial), deaths, problems, note }
    process.send?.({ result, shared })
  }
}

process.on("message", (task: Task) => {
  run(task).then(
    () => process.send?.({ ended: true }),
    (cause: unknown) =>
      process.send?.({
        ended: true,
        failure: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause),
      }),
  )
})
// An exit waits for DuckDB's threads, which wait for this one.
process.on("disconnect", () => process.kill(ownPid, "SIGKILL"))
