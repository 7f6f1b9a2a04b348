// Tries deaths of one command after the other; effects.c is preloaded. Its parent says which, and gets what was found.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { copyFileSync, cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Case, cases } from "./cases.ts"
import { arm, disarm, type Failure } from "./control.ts"
import { materialise, type State } from "./disk.ts"
import { afterDeath, type Problem, type Reference, referenceOf } from "./expectations.ts"
import { type Kind, readJournal } from "./journal.ts"
import { failuresOf, nameOf, statesFor, statesOf, type Trial } from "./trials.ts"
import { World } from "./world.ts"

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
}

interface Recording {
  readonly root: string
  readonly counts: Readonly<Record<Kind, number>>
  /** The effect from which on deaths are tried: the first of the last command. The others have been tried alone. */
  readonly from: number
  readonly reference: Reference
}

const world = await World.start(folder)

const recordCase = async (tried: Case): Promise<void> => {
  const kept = join(store, tried.name)
  rmSync(kept, { recursive: true, force: true })
  await tried.prepare(world)
  cpSync(world.root, join(kept, "before"), { recursive: true, verbatimSymlinks: true })
  world.at(tried.moment)
  truncateSync(journal, 0)
  let counts: Recording["counts"] | undefined
  let from = 1
  const reference = await referenceOf(world, tried, async () => {
    arm(control)
    try {
      for (const command of tried.commands) {
        from = readJournal(journal, world.root).length + 1
        await world.must(...command)
      }
    } finally {
      counts = disarm(control).byKind
      copyFileSync(journal, join(kept, "journal"))
    }
  })
  if (counts === undefined) throw new Error("nothing was counted")
  const recording: Recording = { root: world.root, counts, from, reference }
  writeFileSync(join(kept, "recording.json"), JSON.stringify(recording))
}

const documented: ReadonlySet<number | null> = new Set([1, 2, 3, 4, 5])

/** Runs the commands with an effect that fails. */
const fail = async (tried: Case, failure: Failure): Promise<ReadonlyArray<Problem>> => {
  arm(control, failure)
  const problems: Array<Problem> = []
  let isFailed = false
  try {
    for (const command of tried.commands) {
      const { code, stdout, stderr } = await world.run(command)
      if (code === 0) continue
      isFailed = true
      const said = `${stderr}${stdout}`
      if (!documented.has(code))
        problems.push({ kind: "unclear", text: `exit code ${code}: ${said.slice(-600)}` })
      if (/^ {4}at /m.test(said))
        problems.push({ kind: "unclear", text: `a stack trace: ${said.slice(-1500)}` })
      if (!/vaulthouse: \w/.test(stderr)) {
        problems.push({
          kind: "unclear",
          text: `exit code ${code}, without a sentence: ${said.slice(-600)}`,
        })
      }
      break
    }
  } catch (cause) {
    problems.push({ kind: "unclear", text: `threw ${String(cause)}` })
  } finally {
    const { failed } = disarm(control)
    if (failed > 0 && !isFailed) note = "went on"
    else if (failed === 0) note = "not reached"
    else note = "ended"
  }
  return problems
}
let note = ""

/** Runs the commands in processes of their own, which are killed. */
const killed = async (tried: Case, failure: Failure): Promise<void> => {
  const launcher = join(import.meta.dirname, "../../bin/vaulthouse.js")
  arm(control, failure)
  for (const command of tried.commands) {
    const child = spawn(
      process.execPath,
      ["--import", join(import.meta.dirname, "clock.ts"), launcher, ...command],
      {
        cwd: world.root,
        env: {
          PATH: process.env["PATH"],
          ...world.environment,
          PROVEN_AT: tried.moment.now,
          // Node's files of compiled code are no effects of the command.
          NODE_DISABLE_COMPILE_CACHE: "1",
        },
        stdio: "ignore",
        // The signal goes to its group.
        detached: true,
      },
    )
    const [, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null]
    if (signal !== null) break
  }
  disarm(control)
}

const attempt = async (
  tried: Case,
  kept: string,
  [trial, state]: readonly [Trial, State | undefined],
  reference: Reference,
  isWhole: boolean,
): Promise<ReadonlyArray<Problem>> => {
  world.clear()
  const problems: Array<Problem> = []
  try {
    if (state !== undefined) materialise(state, world.root)
    else cpSync(join(kept, "before"), world.root, { recursive: true, verbatimSymlinks: true })
    world.at(tried.moment)
    truncateSync(journal, 0)
    note = ""
    if (trial.failure !== undefined) {
      if (trial.failure.way === "kill") await killed(tried, trial.failure)
      else problems.push(...(await fail(tried, trial.failure)))
    }
    world.after(tried.moment)
    problems.push(...(await afterDeath(world, tried, reference, isWhole)))
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
  const trials = [...statesOf(before, effects, recording.from), ...failuresOf(recording.counts)]
  const planned: Record<string, number> = {}
  for (const { way } of trials.flatMap(({ deaths }) => deaths))
    planned[way] = (planned[way] ?? 0) + 1
  process.send?.({ planned, total: trials.length })

  const done = new Set(task.done)
  const choice =
    task.choice === undefined
      ? undefined
      : chosen(trials.length, task.choice.trials, task.choice.seed)
  const warehouses = new Set<string>()
  /** Where the same warehouse and archive are tried for the first time. */
  const firsts = new Set<Trial>()
  for (const trial of trials) {
    if (trial.warehouse !== undefined && warehouses.has(trial.warehouse)) continue
    firsts.add(trial)
    if (trial.warehouse !== undefined) warehouses.add(trial.warehouse)
  }
  const isWanted = (trial: Trial, at: number): boolean => {
    const name = nameOf(trial)
    if (task.only !== undefined) {
      const names = trial.deaths.flatMap((death) => [death.way, `${death.way} ${death.at}`])
      if (name !== task.only && !names.includes(task.only)) return false
    }
    if (choice !== undefined && !choice.has(at)) return false
    return at % task.of === task.part && !done.has(name)
  }
  const wanted = trials.filter(isWanted)
  const isAll = task.only !== undefined || choice !== undefined
  const withStates = function* () {
    yield* statesFor(before, effects, wanted)
    for (const trial of wanted) if (trial.failure !== undefined) yield [trial, undefined] as const
  }
  for (const each of withStates()) {
    const [trial] = each
    if (performance.timeOrigin + performance.now() > task.until) break
    process.send?.({ starting: nameOf(trial) })
    const problems = await attempt(
      tried,
      kept,
      each,
      recording.reference,
      isAll || firsts.has(trial),
    )
    const deaths: Record<string, number> = {}
    for (const { way } of trial.deaths) deaths[way] = (deaths[way] ?? 0) + 1
    const result: Result = { command: tried.name, trial: nameOf(trial), deaths, problems }
    process.send?.({ result, note })
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
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"))
