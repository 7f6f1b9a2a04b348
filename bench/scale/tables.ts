// Renders the tables of docs/scale.md.
import { TASKS_AT_ONCE } from "../../src/pipelines/model/Pipeline.ts"
import type { Constants } from "./constants.ts"
import { failures, type Input, platform, prices, PRICES_OF, service } from "./inputs.ts"
import { type Costs, IN_FLIGHT, LEASE, type Pass, passesOf } from "./model.ts"
import { loadsOf, type Unit } from "./requests.ts"
import type { Setting, Simulated } from "./simulation.ts"

export interface Result {
  readonly setting: Setting
  readonly year: Simulated
  readonly costs: Costs
}

const number = (value: number, digits = 0): string =>
  value.toLocaleString("en", { maximumFractionDigits: digits, minimumFractionDigits: digits })

const plain = (value: number): string => value.toLocaleString("en", { maximumFractionDigits: 3 })

const large = (value: number): string =>
  value >= 1e9
    ? `${number(value / 1e9, 1)} bn`
    : value >= 1e6
      ? `${number(value / 1e6, 1)} m`
      : number(value)

const time = (seconds: number): string =>
  seconds < 7200 ? `${number(seconds / 60)} min` : `${number(seconds / 3600, 1)} h`

const percent = (share: number): string => `${number(100 * share)} %`

const inputLine = ({ value, unit, description }: Input): string =>
  `| ${plain(value)}${unit === "" ? "" : ` ${unit}`} | ${description} |`

export const inputsTable = (): string => `| input | |
|---:|---|
${[platform, service, failures].flatMap((group) => Object.values<Input>(group).map(inputLine)).join("\n")}

| price (${PRICES_OF}, rounded) | |
|---:|---|
${Object.values(prices).map(inputLine).join("\n")}`

const sumOf = (passes: ReadonlyArray<Pass>, of: "requests" | "rows" | "changedRows"): number =>
  passes.reduce((sum, pass) => sum + pass[of], 0)

const passLine = (name: string, passes: ReadonlyArray<Pass>): string =>
  `| ${name} | ${large(sumOf(passes, "requests"))} | ${large(sumOf(passes, "rows"))} | ${large(sumOf(passes, "changedRows"))} | ${number(sumOf(passes, "requests") / 3600)} |`

export const requestsTable = (constants: Constants): string => {
  const first = passesOf(constants, true)
  const later = passesOf(constants, false)
  const ofCadence = (cadence: string) => later.filter(({ load }) => load.cadence === cadence)
  const line = (pass: Pass, at: number): string => {
    const { load, tasks } = pass
    const start = first[at] ?? pass
    return `| \`${load.name}\` | ${load.cadence} | ${large(tasks)} × ${load.unit} | ${plain(start.requests / tasks)} | ${plain(pass.requests / tasks)} | ${plain(start.rows / start.requests)} | ${plain(pass.rows / pass.requests)} |`
  }
  return `| pipeline | cadence | tasks | requests of the first | of a later one | rows a response, first | later |
|---|---|---:|---:|---:|---:|---:|
${later.map(line).join("\n")}

| pass | requests | rows read | rows new or changed | requests a second, to end within an hour |
|---|---:|---:|---:|---:|
${[passLine("first sync", first), passLine("hourly", ofCadence("hourly")), passLine("daily", ofCadence("daily"))].join("\n")}`
}

const oneMoreYear = (unit: Unit): number => {
  const [now, then] = [platform.years.value, platform.years.value + 1].map((years) =>
    loadsOf(years)
      .filter((load) => load.unit === unit)
      .reduce((sum, { first }) => sum + first, 0),
  )
  return (then ?? 0) - (now ?? 0)
}

const perUnit =
  (passes: ReadonlyArray<Pass>) =>
  (unit: Unit): number =>
    passes
      .filter(({ load }) => load.unit === unit)
      .reduce((sum, { requests, tasks }) => sum + requests / tasks, 0)

/** The requests that one more vault or subaccount adds to a pass. */
export const unitsTable = (constants: Constants): string => {
  const later = passesOf(constants, false)
  const ofCadence = (cadence: string) => later.filter(({ load }) => load.cadence === cadence)
  const units: ReadonlyArray<Unit> = ["vault", "subaccount", "debtor × token"]
  const line = (name: string, requests: (unit: Unit) => number): string =>
    `| ${name} | ${units.map((unit) => plain(requests(unit))).join(" | ")} |`
  return `| requests for each | ${units.join(" | ")} |
|---|---:|---:|---:|
${[
  line("first sync", perUnit(passesOf(constants, true))),
  line("each further year of history", oneMoreYear),
  line("hourly", perUnit(ofCadence("hourly"))),
  line("daily, in addition", perUnit(ofCadence("daily"))),
].join("\n")}`
}

export const constantsTable = (constants: Constants): string => {
  const { commits, world } = constants
  const source = `syncs of ${number(world.vaults)} vaults × ${number(world.days)} days and ${number(world.subaccounts)} subaccounts, ${constants.measuredOn}, ${constants.machine}`
  const lines: ReadonlyArray<readonly [string, string, string]> = [
    ["processor time of a request", `${plain(constants.cpuMillisPerRequest)} ms`, source],
    [
      "processor time of 1,000 rows (validate, map, stage)",
      `${plain(constants.cpuMillisPerThousandRows)} ms`,
      "the same",
    ],
    ["archive, for each byte of a body", `${plain(constants.archiveRatio)} bytes`, "the same"],
    [
      "bookkeeping of a task and a response, in Parquet",
      `${plain(constants.taskBytes)} + ${plain(constants.responseBytes)} bytes`,
      "the same",
    ],
    ["lock held by a commit", `${plain(commits.millis)} ms`, commits.store],
    ["for each task in it", `${plain(commits.millisPerTask)} ms`, "the same"],
    ["for each 1,000 rows it changes", `${plain(commits.millisPerThousandRows)} ms`, "the same"],
    [
      "tasks in a commit",
      plain(TASKS_AT_ONCE),
      "as many as a worker handles at once (`src/pipelines/run/sync.ts`)",
    ],
    ["requests of one worker in flight", plain(IN_FLIGHT), "`src/extract/budget/Pace.ts`"],
    [
      "lease of a dead worker's claims",
      `${plain(LEASE)} s`,
      "default of the setting `workerLease`",
    ],
  ]
  return `| constant | value | source |
|---|---:|---|
${lines.map((line) => `| ${line.join(" | ")} |`).join("\n")}`
}

const tableOf = (
  head: ReadonlyArray<string>,
  lines: ReadonlyArray<ReadonlyArray<string>>,
): string =>
  [head, head.map(() => "---:"), ...lines].map((line) => `| ${line.join(" | ")} |`).join("\n")

export const speedTable = (results: ReadonlyArray<Result>): string =>
  tableOf(
    [
      "requests a second allowed",
      "workers",
      "tasks in a commit",
      "first sync",
      "from one hourly pass to the next",
      "limit used",
      "lock held",
      "a worker busy",
    ],
    results.map(({ setting, year }) => [
      number(setting.requestsPerSecond),
      number(setting.workers),
      number(setting.groupTasks),
      time(year.firstSyncSeconds),
      time(year.intervalSeconds.median),
      percent(year.busy.limit),
      percent(year.busy.lock),
      percent(year.busy.workers),
    ]),
  )

export const costsTable = (results: ReadonlyArray<Result>): string =>
  tableOf(
    [
      "requests a second allowed",
      "workers",
      "tasks in a commit",
      "requests in the year",
      "sent again after deaths",
      "commits",
      "rows new or changed",
      "GB of tables",
      "of bookkeeping",
      "of archive",
      "USD a month",
    ],
    results.map(({ setting, year, costs }) => [
      number(setting.requestsPerSecond),
      number(setting.workers),
      number(setting.groupTasks),
      large(year.requests),
      `${large(year.repeatedRequests)} (${counted(year.deaths)})`,
      large(year.commits),
      large(year.changedRows),
      number(costs.tablesGigabytes),
      number(costs.bookkeepingGigabytes),
      number(costs.archiveGigabytes),
      number(costs.dollarsAMonth),
    ]),
  )

const counted = (deaths: number): string => (deaths === 1 ? "1 death" : `${number(deaths)} deaths`)

export const grainText = (
  fine: number,
  coarse: number,
  one: Simulated | undefined,
  other: Simulated | undefined,
): string =>
  `The year is simulated in claims of ${number(coarse)} tasks. Two days with 4 workers at 1,000 requests a second in claims of
${number(fine)}, as the workers take them, give a first sync of ${time(one?.firstSyncSeconds ?? 0)} (${time(other?.firstSyncSeconds ?? 0)} in the coarser claims) and
${time(one?.intervalSeconds.median ?? 0)} (${time(other?.intervalSeconds.median ?? 0)}) between passes.`
