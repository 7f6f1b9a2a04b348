// Runs on a clock that is moved from one to the next, in a folder that keeps them with their figures, so that another process can
// go on with them.
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { type Simulator, startSimulator } from "../../simulator/index.ts"
import { bytesIn, filesIn } from "../month/bytes.ts"
import { movableClock } from "../support/movableClock.ts"
import { asAdmin } from "../support/simulated.ts"
import { query, runOnce } from "../support/warehouseRun.ts"
import type { Size, Weights } from "./weights.ts"

export interface YearOptions {
  /** Between two runs. */
  readonly hours: number
  readonly keepDays: number
  /** How many runs a publication follows. */
  readonly publishEvery: number
}

interface State extends YearOptions {
  /** How long each run took. */
  readonly seconds: Array<number>
  /** The most segments that there were at once. */
  mostSegments: number
  /** What there was after each 30 days. */
  readonly months: Array<Size>
}

const HOUR = 3_600_000
const BEGIN = Date.parse("2024-02-25T00:10:00Z")
const START = "2024-02-22T00:00:00Z"
const MEDIAN_OF = 24
const MONTH_DAYS = 30

/** Those that a run of every hour reads, of each kind one: a list, snapshots, tasks that a mart reads, a series. */
const pipelines = ["vaults", "vault_summaries", "withdrawals", "ratio_history", "positions"]

const median = (of: ReadonlyArray<number>): number =>
  of.toSorted((a, b) => a - b)[Math.floor(of.length / 2)] ?? Number.NaN

export class Year {
  readonly dataDir: string
  private readonly file: string
  private readonly state: State
  private readonly simulator: Simulator
  private readonly clock = movableClock({ aheadMillis: BEGIN - Date.now() })

  private constructor(folder: string, state: State, simulator: Simulator) {
    this.dataDir = join(folder, "data")
    this.file = join(folder, "state.json")
    this.state = state
    this.simulator = simulator
  }

  /** Of the folder's runs so far; those of other options are an error. */
  static async of(folder: string, options: YearOptions): Promise<Year> {
    const file = join(folder, "state.json")
    const state: State = existsSync(file)
      ? (JSON.parse(readFileSync(file, "utf8")) as State)
      : { ...options, seconds: [], mostSegments: 0, months: [] }
    const { hours, keepDays, publishEvery } = state
    const found = JSON.stringify({ hours, keepDays, publishEvery })
    if (found !== JSON.stringify(options)) throw new Error(`${folder} has runs with ${found}`)
    const now = new Date(BEGIN).toISOString()
    const simulator = await startSimulator({ vaults: 1, start: START, now, slowReadMs: 0 })
    return new Year(folder, state, simulator)
  }

  get runs(): number {
    return this.state.seconds.length
  }

  get text(): string {
    const { seconds, mostSegments } = this.state
    return `${this.runs} runs, ${median(seconds.slice(-MEDIAN_OF)).toFixed(2)} s each, ${filesIn(this.dataDir).length} files, at most ${mostSegments} in the archive`
  }

  /** Makes the next run. One that was killed before it was written down is made again at the same instant. */
  async run(): Promise<void> {
    const { state, clock, dataDir } = this
    const instant = BEGIN + this.runs * state.hours * HOUR
    this.simulator.patch({ now: new Date(instant).toISOString() })
    clock.advance(instant - Effect.runSync(clock.under(Clock.currentTimeMillis)))
    const isPublished = this.runs % state.publishEvery === 0
    const began = performance.now()
    const { summary } = await Effect.runPromise(
      clock.under(
        runOnce(this.simulator.url, dataDir, {
          pipelines,
          api: asAdmin,
          keepDays: state.keepDays,
          publish: isPublished ? { parquet: { marts: false } } : undefined,
        }),
      ),
    )
    if (summary.outcome !== "complete") throw new Error(`run ${this.runs}: ${summary.outcome}`)
    state.seconds.push((performance.now() - began) / 1000)
    const segments = this.segments
    state.mostSegments = Math.max(state.mostSegments, segments)
    if (segments > this.allowedSegments(instant))
      throw new Error(`${segments} segments after run ${this.runs}`)
    if ((this.runs * state.hours) % (MONTH_DAYS * 24) === 0) state.months.push(this.size)
    this.save()
  }

  async weights(): Promise<Weights> {
    const { seconds, ...state } = this.state
    const [counts = {}] = await Effect.runPromise(
      query(
        this.dataDir,
        `select (select count(*) from ops.tasks)::integer as tasks,
           (select count(*) from ops.check_results)::integer as results,
           (select count(*) from ops.runs)::integer as runs,
           (select sum(tasks) from ops.runs)::integer as tasks_recorded,
           (select count(*) from raw.responses)::integer as responses,
           (select count(*) from core.ratio_history)::integer as points`,
      ),
    )
    return {
      ...state,
      ...this.size,
      counts: Object.fromEntries(
        Object.entries(counts).map(([name, count]) => [name, Number(count)]),
      ),
      firstSeconds: median(seconds.slice(1, 1 + MEDIAN_OF)),
      longestSeconds: Math.max(...seconds.slice(1)),
    }
  }

  close(): Promise<void> {
    return this.simulator.close()
  }

  private get segments(): number {
    return readdirSync(join(this.dataDir, "raw")).length
  }

  private get size(): Size {
    return {
      runs: this.runs,
      files: filesIn(this.dataDir).length,
      segments: this.segments,
      bytes: bytesIn(this.dataDir),
      seconds: median(this.state.seconds.slice(-MEDIAN_OF)),
    }
  }

  /** One for each month that is over, and for the present one those that were joined and those that wait for that. */
  private allowedSegments(instant: number): number {
    const monthsOver = Math.floor((instant - BEGIN) / (28 * 24 * HOUR)) + 1
    const joinedThisMonth = Math.ceil((31 * 24) / this.state.hours / 32)
    return monthsOver + joinedThisMonth + 32 + 1
  }

  private save(): void {
    writeFileSync(`${this.file}.tmp`, JSON.stringify(this.state))
    renameSync(`${this.file}.tmp`, this.file)
  }
}
