// make proof: tries every death of every command with as many workers as there are cores, goes on where it was stopped,
// and writes the figures. node test/crash/main.ts [slice] [--only COMMAND] [--trial TRIAL] [--choose N] [--minutes N] [--workers N]
import { type ChildProcess, execFileSync, fork } from "node:child_process"
import { createHash } from "node:crypto"
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { type Case, cases } from "./cases.ts"
import { uninitialised } from "./uninitialised.ts"
import { createControl } from "./control.ts"
import { type CommandFigures, type Figures, isKnown, writeFigures } from "../reliability/page.ts"
import { failuresOf } from "./trials.ts"
import type { Recording, Result, Task } from "./worker.ts"

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string", multiple: true },
    trial: { type: "string" },
    choose: { type: "string" },
    minutes: { type: "string" },
    workers: { type: "string" },
  },
})
const isSlice = positionals.includes("slice")
const root = join(import.meta.dirname, "../..")
const library = join(root, "node_modules/.crash/effects.so")
const git = (...args: ReadonlyArray<string>) =>
  execFileSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 }).trim()

const proven = ["src", "warehouse", "simulator", "test/crash"]
const unproven = [":!test/crash/lake", ":!test/crash/*.md"]
const isChanged = git("diff", "HEAD", "--name-only", "--", ...proven, ...unproven) !== ""
const commit = `${git("rev-parse", "--short", "HEAD")}${isChanged ? " with changes" : ""}`
/** Another one where what is proven, or how, has changed. */
const version = createHash("sha1")
  .update(git("ls-files", "--stage", "--", ...proven, ...unproven))
  .update(git("diff", "--", ...proven, ...unproven))
  .digest("hex")
  .slice(0, 12)

/** How many deaths of each command are tried, spread over all; absent for all of them. */
const perCommand = values.choose === undefined ? (isSlice ? 32 : undefined) : Number(values.choose)

const isMemory = existsSync("/dev/shm")
const scratch = mkdtempSync(join(isMemory ? "/dev/shm" : tmpdir(), "vaulthouse-proof-"))
const store = isSlice ? join(scratch, "store") : join(root, "node_modules/.crash", version)
mkdirSync(store, { recursive: true })
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }))

let until = Date.now() + Number(values.minutes ?? (isSlice ? 3.5 : 10_000)) * 60_000
// The day: a slice moves on with it.
const seed = Math.floor(Date.now() / 86_400_000)
/** What `make proof-lake` installs. */
const servers = join(root, "node_modules/.lake")
const hasServers = existsSync(join(servers, ".installed"))
const isMissing = ({ needsLake }: Case): boolean => needsLake === true && !hasServers
const commands = cases
  .filter((each) => !isMissing(each))
  .map(({ name }) => name)
  .filter((name) => values.only?.includes(name) ?? true)
/**
 * A slice has one of the commands, whose recording takes a minute, for two days: its errors on the first, its deaths on
 * the second.
 */
const chosen = isSlice
  ? commands.filter((_, at) => at === Math.floor(seed / 2) % commands.length)
  : commands
/** Deaths first: a proof that is stopped has tried those of as many commands as it can. */
const kinds = isSlice ? [seed % 2 === 0] : [false, true]
/** A lake is of one call: what needs it is recorded in each. */
const needsLake = chosen.filter((name) =>
  cases.some((each) => each.name === name && each.needsLake),
)
const startLake = async () => {
  process.env["LAKE"] = servers
  const { startPostgres } = await import("../support/servers/postgres.ts")
  const server = await startPostgres()
  process.env["PROVEN_LAKE"] = `ducklake:${server.url()}`
  process.env["PROVEN_LAKE_DATA"] = join(scratch, "lake")
  return server
}
const count = Number(values.workers ?? availableParallelism())
interface Planned {
  readonly effects: number
  /** Deaths, and trials of what differs among them. */
  readonly planned: number
  readonly total: number
}

const resultsOf = (command: string): string => join(store, command, "results.ndjson")
const recordingOf = (command: string): string => join(store, command, "recording.json")

const plans = new Map<string, Planned>()
/** What a whole proof tries of a command; nothing where it is not recorded. */
const planOf = (command: string): Planned => {
  const known = plans.get(command)
  if (known !== undefined) return known
  if (!existsSync(recordingOf(command))) return { effects: 0, planned: 0, total: 0 }
  const { counts, states } = JSON.parse(readFileSync(recordingOf(command), "utf8")) as Recording
  const { open, ...others } = counts
  void open
  const trials = [...states, ...failuresOf(counts)]
  const plan = {
    effects: Object.values(others).reduce((sum, each) => sum + each, 0),
    planned: trials.reduce((sum, { deaths }) => sum + deaths.length, 0),
    total: trials.length,
  }
  plans.set(command, plan)
  return plan
}

const readResults = (command: string): ReadonlyArray<Result> =>
  existsSync(resultsOf(command))
    ? readFileSync(resultsOf(command), "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as Result)
    : []

/** What takes a minute on a busy machine must not count as hanging on one that has ten times as much to do. */
const HANGS_MINUTES = 10

/** A worker, started again after a trial that ended or stopped it. */
class Worker {
  readonly #at: number
  readonly #folder: string
  #child: ChildProcess | undefined

  constructor(at: number) {
    this.#at = at
    this.#folder = join(scratch, `worker-${at}`)
  }

  #start(): ChildProcess {
    mkdirSync(join(this.#folder, "world"), { recursive: true })
    createControl(join(this.#folder, "control"))
    writeFileSync(join(this.#folder, "journal"), "")
    return fork(join(import.meta.dirname, "worker.ts"), [this.#folder, store], {
      env: {
        ...process.env,
        ...uninitialised,
        // What node says is the home of commands in this process too.
        HOME: join(this.#folder, "world/home"),
        PROVEN_SERVICE: `127.${1 + ((process.pid >> 15) & 127)}.${(process.pid >> 7) & 255}.${1 + this.#at + 100 * (process.pid & 1)}`,
        LD_PRELOAD: library,
        EFFECTS_BELOW: join(this.#folder, "world"),
        EFFECTS_CONTROL: join(this.#folder, "control"),
        EFFECTS_JOURNAL: join(this.#folder, "journal"),
      },
      stdio: ["ignore", "inherit", "pipe", "ipc"],
    })
  }

  /** Resolves once the task has ended or its time is up. */
  async run(
    task: Task,
    onResult: (result: Result, shared: ReadonlyArray<string>) => void,
  ): Promise<void> {
    const done = new Set(task.done)
    for (;;) {
      const child = (this.#child ??= this.#start())
      let starting: string | undefined
      let said = ""
      let isSpoilt = false
      child.stderr?.on("data", (chunk: Buffer) => (said = (said + chunk.toString()).slice(-2000)))
      let timer: NodeJS.Timeout | undefined
      const ended = await new Promise<string | undefined>((resolve, reject) => {
        child.on(
          "message",
          (message: {
            starting?: string
            result?: Result
            shared?: ReadonlyArray<string>
            ended?: true
            failure?: string
          }) => {
            clearTimeout(timer)
            if (message.starting !== undefined) {
              starting = message.starting
              timer = setTimeout(() => child.kill("SIGKILL"), HANGS_MINUTES * 60_000)
            }
            if (message.result !== undefined) {
              done.add(message.result.trial)
              starting = undefined
              onResult(message.result, message.shared ?? [])
              // Whatever went wrong must not concern the next trial.
              if (message.result.problems.length > 0) {
                isSpoilt = true
                child.kill("SIGKILL")
              }
            }
            if (message.failure !== undefined)
              reject(new Error(`${task.command}: ${message.failure}`))
            else if (message.ended === true) resolve(undefined)
          },
        )
        child.once("exit", (code, signal) => resolve(signal ?? `code ${code}`))
        child.send({ ...task, done: [...done] })
      })
      clearTimeout(timer)
      child.removeAllListeners()
      child.stderr?.removeAllListeners("data")
      if (ended !== undefined || isSpoilt) this.#child = undefined
      if (ended === undefined) return
      if (isSpoilt) continue
      if (starting === undefined) throw new Error(`a worker ended with ${ended}: ${said}`)
      done.add(starting)
      const how =
        ended === "SIGKILL"
          ? `it did not end within ${HANGS_MINUTES} minutes`
          : `the process ended with ${ended}`
      const [way = ""] = starting.split(" ")
      onResult(
        {
          command: task.command,
          trial: starting,
          deaths: { [way]: 1 },
          problems: [{ kind: "unclear", text: `${how}: ${said.trim()}` }],
        },
        [],
      )
    }
  }

  stop(): void {
    this.#child?.kill("SIGKILL")
  }
}

const repeatOf = (command: string, trial: string): string =>
  `make proof ARGS="--only '${command}' --trial '${trial}'"`

const began = Date.now()
const clock = (): string => {
  const seconds = Math.round((Date.now() - began) / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`
}
const print = (text: string): void => void process.stdout.write(`${text}\n`)

/** Whether the figures and the minutes of this call count. */
const isKept = !isSlice && values.trial === undefined
const spent = join(store, "minutes")
const spentBefore = existsSync(spent) ? Number(readFileSync(spent, "utf8")) : 0
const minutesOfAllCalls = (): number => spentBefore + (Date.now() - began) / 60_000
/** Also of a call that is stopped. */
const keepMinutes = (): void => writeFileSync(spent, String(minutesOfAllCalls()))

const workers = Array.from({ length: count }, (_, at) => new Worker(at))
/** The only one that uses the lake, which has one writer at a time; the others go on meanwhile. */
const lakeWorker = new Worker(count)
let failures = 0
let tried = 0
/** When the first trial began. */
let trying = Date.now()
const notes: Record<string, number> = {}
const shares: Record<string, number> = {}

const onResult = (result: Result, shared: ReadonlyArray<string>): void => {
  const { note = "" } = result
  tried += 1
  for (const what of shared) shares[what] = (shares[what] ?? 0) + 1
  if (note !== "") notes[note] = (notes[note] ?? 0) + 1
  if (values.trial === undefined)
    appendFileSync(resultsOf(result.command), `${JSON.stringify(result)}\n`)
  if (result.problems.length === 0) return
  const isOld = isSlice && result.problems.every(({ text }) => isKnown(text))
  if (!isOld) failures += 1
  print(`${isOld ? "KNOWN" : "FAILED"} ${result.command}, ${result.trial}`)
  for (const { kind, text } of result.problems) print(`  ${kind}: ${text}`)
  print(`  ${repeatOf(result.command, result.trial)}`)
}

const tryCommand = async (
  team: ReadonlyArray<Worker>,
  command: string,
  isFailure: boolean,
): Promise<void> => {
  const before = readResults(command)
  await Promise.all(
    team.map((worker, part) =>
      worker.run(
        {
          command,
          part,
          of: team.length,
          isFailure,
          done: values.trial === undefined ? before.map(({ trial }) => trial) : [],
          ...(values.trial === undefined ? {} : { only: values.trial }),
          ...(perCommand === undefined ? {} : { choice: { seed, trials: perCommand } }),
          until,
        },
        onResult,
      ),
    ),
  )
  print(
    `${clock()} ${command}: ${readResults(command).length} of ${planOf(command).total} tried${estimate()}`,
  )
}

/** Of all commands, those that were not begun too. */
const estimate = (): string => {
  if (isSlice || values.trial !== undefined || tried === 0) return ""
  const left = chosen
    .map((name) => Math.min(perCommand ?? Infinity, planOf(name).total) - readResults(name).length)
    .reduce((sum, each) => sum + Math.max(0, each), 0)
  const minutes = (left * (Date.now() - trying)) / tried / 60_000
  return `; ${left} trials left, about ${Math.round(minutes)} minutes`
}

for (const { name } of cases.filter(isMissing))
  print(`skipped: ${name}, which needs what \`make proof-lake\` installs`)
if (isSlice) print(`Seed ${seed} (the day): make proof ARGS=slice`)
const lake = needsLake.length === 0 ? undefined : await startLake()
const progress = setInterval(() => {
  print(`${clock()} ${tried} tried${estimate()}`)
  if (isKept) keepMinutes()
}, 60_000)
try {
  const record = async (worker: Worker, queue: Array<string>): Promise<void> => {
    for (let command = queue.shift(); command !== undefined; command = queue.shift()) {
      // Results of another recording say nothing about this one.
      rmSync(join(store, command), { recursive: true, force: true })
      plans.delete(command)
      const task: Task = { command, record: true, part: 0, of: 1, done: [], until }
      await worker.run(task, () => undefined)
    }
  }
  const tryAll = async (
    team: ReadonlyArray<Worker>,
    names: ReadonlyArray<string>,
  ): Promise<void> => {
    const missing = names.filter(
      (name) => needsLake.includes(name) || !existsSync(recordingOf(name)),
    )
    const queue = [...missing]
    await Promise.all(team.map((worker) => record(worker, queue)))
    if (missing.length > 0) print(`${clock()} recorded: ${missing.join(", ")}`)
    if (tried === 0) trying = Date.now()
    // However long the recording took on a busy machine.
    if (isSlice) until = Math.max(until, Date.now() + 60_000)
    for (const isFailure of kinds) {
      for (const command of names) {
        if (Date.now() < until) await tryCommand(team, command, isFailure)
      }
    }
  }
  await Promise.all([
    tryAll(
      workers,
      chosen.filter((name) => !needsLake.includes(name)),
    ),
    tryAll([lakeWorker], needsLake),
  ])
} finally {
  clearInterval(progress)
  for (const worker of [...workers, lakeWorker]) worker.stop()
  await lake?.stop()
}
print(
  `${clock()} ${tried} tried, ${failures} failed; injected errors: ${JSON.stringify(notes)}; found before: ${JSON.stringify(shares)}`,
)

const figuresOf = (command: string): CommandFigures => {
  const results = readResults(command).filter(({ note }) => note !== "not reached")
  const { effects, planned } = planOf(command)
  const ofKind = (kind: string): number =>
    results.filter(({ problems }) => problems.some((each) => each.kind === kind)).length
  const triedByWay: Record<string, number> = {}
  for (const { deaths } of results) {
    for (const [way, times] of Object.entries(deaths))
      triedByWay[way] = (triedByWay[way] ?? 0) + times
  }
  return {
    command,
    effects,
    tried: triedByWay,
    distinct: results.length,
    planned,
    lost: ofKind("lost"),
    doubled: ofKind("doubled"),
    unclear: ofKind("unclear"),
    other: ofKind("other"),
  }
}

if (isKept) {
  keepMinutes()
  // One that was left out for a missing lake is on the page as that.
  const shown = cases
    .filter((each) => isMissing(each) || existsSync(recordingOf(each.name)))
    .map(({ name }) => name)
  const figures: Figures = {
    title: "Files",
    text: "Every effect on the files of a data directory and of the home directory, on a simulated platform of one vault and three subaccounts: `make proof`, which `test/crash/README.md` explains.",
    effects: "effects on files",
    commit,
    date: new Date().toISOString().slice(0, 10),
    minutes: Math.round(minutesOfAllCalls()),
    commands: shown.map(figuresOf),
    failures: shown.flatMap((command) =>
      readResults(command)
        .filter(({ problems }) => problems.length > 0)
        .map(({ trial, problems }) => ({
          command,
          way: trial.replace(/ \d+$/, ""),
          at: Number(/\d+$/.exec(trial)?.[0]),
          what: problems
            .map(({ text }) => text)
            .join("; ")
            .replaceAll(/\/\S*vaulthouse-proof-\w+\/[\w-]+\/world\//g, "")
            .slice(0, 300),
        })),
    ),
  }
  writeFigures("files", figures)
}
/** Of all calls of a proof that goes on from one to the next. */
const failed = isKept
  ? chosen.flatMap(readResults).filter(({ problems }) => problems.length > 0).length
  : failures
const isInVain = isSlice && tried === 0
if (isInVain) print("FAILED: nothing was tried")
process.exitCode = failed === 0 && !isInVain ? 0 : 1
