// A scheduler on a simulated clock through days of weather. Each day it is killed in the middle of a run, restarted
// between two runs, and stopped and started again during one.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Simulator, startSimulator } from "../../simulator/index.ts"
import { type Bytes, bytesIn } from "./bytes.ts"
import { Given } from "./given.ts"
import { Scheduler } from "./scheduler.ts"
import { blockOf, type Day, quiet } from "./weather.ts"

const HOUR = 3_600_000
const DAY = 24 * HOUR
const BEGIN = Date.parse("2026-03-06T00:00:00Z")
/** Calm hours after the last day, with its last daily and hourly runs. */
const HOURS_AFTER = 5
/** The first run, which loads what there was before, takes the place of the first hourly one. */
const FIRST_RUN = BEGIN + HOUR / 6
// Longer than the jitter of a firing.
const AFTER_FIRING = 61_000

/** One for each way of reading. */
export const someWays = [
  "vaults",
  "pnl_history",
  "apy_history",
  "allocation_history",
  "ratio_history",
  "positions",
  "audit_log",
  "subaccounts",
  "transactions",
]
/** And others that are read in the same ways. */
export const allWays = [...someWays, "vault_details", "withdrawals", "timelocks", "health_factors"]

// Every four hours, since a run takes a second of the machine's time.
const config = (url: string, pipelines: ReadonlyArray<string>): string => `baseUrl: ${url}
logFormat: pretty
requestTimeout: 600
taskTimeout: 36000
pipelines: [${pipelines.join(", ")}]
schedule: { hourly: "7 */4 * * *" }
`

/** What is done to the process each day, at the first firing from this hour on. */
const actions = [
  [8, "kill"],
  [12, "restart"],
  [20, "stop"],
] as const
type Action = (typeof actions)[number][1]

const iso = (millis: number): string => new Date(millis).toISOString()
const hourOf = (instant: number): number => new Date(instant).getUTCHours()
const dayAt = (instant: number): number => Math.floor((instant - BEGIN) / DAY)

export class Month {
  readonly dataDir: string
  readonly given: Given
  /** The bytes after the first run. */
  first: Bytes | undefined
  /** What was printed on each day, and the bytes at its end. */
  readonly days: Array<{ readonly log: string; readonly bytes: Bytes }> = []
  readonly counts: Record<Action, number> = { kill: 0, restart: 0, stop: 0 }
  readonly simulator: Simulator
  private readonly cwd: string
  private readonly weather: ReadonlyArray<Day>
  private scheduler: Scheduler
  private log = ""
  private now = FIRST_RUN
  /** The newest block of four hours that has begun. */
  private block = 0
  private acted = 0

  private constructor(
    cwd: string,
    simulator: Simulator,
    weather: ReadonlyArray<Day>,
    pipelines: ReadonlyArray<string>,
  ) {
    this.cwd = cwd
    this.dataDir = join(cwd, "data")
    this.simulator = simulator
    this.given = new Given(simulator)
    this.weather = weather
    writeFileSync(join(cwd, "vaulthouse.config.yaml"), config(simulator.url, pipelines))
    this.scheduler = this.start()
  }

  /** Lives through all days, at the end of which the simulator goes on without faults. */
  static async of(
    cwd: string,
    weather: ReadonlyArray<Day>,
    pipelines: ReadonlyArray<string>,
  ): Promise<Month> {
    const simulator = await startSimulator({
      vaults: 3,
      days: 5,
      now: iso(FIRST_RUN),
      subaccounts: 3,
      slowReadMs: 0,
    })
    const month = new Month(cwd, simulator, weather, pipelines)
    const end = BEGIN + weather.length * DAY + HOURS_AFTER * HOUR
    for (let next = await month.idle(); next < end; next = await month.idle()) {
      month.first ??= bytesIn(month.dataDir)
      await month.run(next)
    }
    await month.scheduler.end("SIGTERM")
    return month
  }

  private start(): Scheduler {
    return new Scheduler(this.cwd, iso(this.now), (text) => (this.log += text))
  }

  private weatherAt(instant: number): Day["blocks"][number] | undefined {
    return blockOf(this.weather[dayAt(instant)] ?? quiet, hourOf(instant))
  }

  /** Waits until nothing runs; when the next run is. */
  private async idle(): Promise<number> {
    let next = Date.parse(await this.scheduler.idle())
    await this.given.add(false)
    // A failed run is repeated every five minutes: some of those will do.
    if (next - this.now < HOUR / 4) next = this.now + 2 * HOUR
    while (this.weatherAt(next) === "asleep") next += HOUR
    while (this.days.length < dayAt(next)) {
      this.days.push({ log: this.log, bytes: bytesIn(this.dataDir) })
      this.log = ""
    }
    return next
  }

  private async run(next: number): Promise<void> {
    this.changeWeather(next)
    const action = this.actionAt(next)
    if (action !== undefined) this.counts[action] += 1
    this.now = next + AFTER_FIRING
    if (action === "restart") {
      await this.scheduler.end("SIGTERM")
      this.scheduler = this.start()
      return
    }
    this.scheduler.jump(iso(this.now))
    if (action === undefined) return
    // Another moment each day.
    const requests = 1 + ((dayAt(next) * 11) % 20)
    await this.scheduler.ranUntil(() => this.given.newRequests >= requests)
    await this.scheduler.end(action === "kill" ? "SIGKILL" : "SIGTERM")
    await this.given.add(true)
    this.changeWeather(next)
    this.scheduler = this.start()
  }

  private changeWeather(next: number): void {
    const weather = this.weatherAt(next)
    const block = Math.floor((next - BEGIN) / (4 * HOUR))
    const { revision } = this.simulator.options
    this.simulator.patch({
      now: iso(next),
      ...(weather === "restated" && block > this.block ? { revision: revision + 1 } : {}),
      ...(typeof weather === "object" ? weather : {}),
    })
    this.block = block
  }

  private actionAt(next: number): Action | undefined {
    const day = Math.floor(this.acted / actions.length)
    const [hour = 0, action] = actions[this.acted % actions.length] ?? []
    if (day >= this.weather.length || next < BEGIN + day * DAY + hour * HOUR) return undefined
    this.acted += 1
    return action
  }
}
