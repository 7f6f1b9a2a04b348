// Turns the platform of inputs.ts into work for the simulation, and computes what a simulated year costs.
import { defaultSettings } from "../../src/config/settings/settings.ts"
import { TASKS_AT_ONCE } from "../../src/pipelines/model/Pipeline.ts"
import { platform, prices, service, failures } from "./inputs.ts"
import type { Constants, PipelineConstants } from "./constants.ts"
import { loadsOf, type PipelineLoad, type Unit, unitCounts } from "./requests.ts"
import type { Setting, Simulated, Work } from "./simulation.ts"

const DAY = 24 * 3600
const YEAR = 365 * DAY
const GIGABYTE = 1e9

/** One worker has at most this many requests in flight (src/extract/budget/Pace.ts). */
export const IN_FLIGHT = 32
/** How long a dead worker keeps its claims, in seconds. */
export const LEASE = defaultSettings.workerLease

/** Figures of subaccounts rarely change between two readings; those of vaults do. */
const rarelyChanges = (unit: Unit): boolean => unit === "subaccount" || unit === "debtor × token"

export interface Pass {
  readonly load: PipelineLoad
  readonly tasks: number
  readonly requests: number
  readonly rows: number
  readonly changedRows: number
  readonly tableBytes: number
  readonly archivedBytes: number
}

const unmeasured: PipelineConstants = {
  laterRequests: 1,
  firstRows: 1,
  laterRows: 1,
  changedRows: 1,
  rowBytes: 100,
  bodyBytes: 1000,
}

/** The work of each pipeline in the first pass, or in a later one. */
export const passesOf = (constants: Constants, isFirst: boolean): ReadonlyArray<Pass> =>
  loadsOf(platform.years.value).map((load) => {
    const measured = constants.pipelines[load.name] ?? unmeasured
    const tasks = unitCounts[load.unit]
    const isDirectory = load.name === "subaccounts"
    // The second run of a measurement does not request again what the service caches.
    const isMeasured = !isFirst && !isDirectory && measured.laterRequests > 0
    const each = isMeasured ? measured.laterRequests : load.first
    const requests = tasks * each
    const rows = isDirectory
      ? unitCounts.subaccount
      : requests * (isMeasured ? measured.laterRows : measured.firstRows)
    const isStable = rarelyChanges(load.unit) || isDirectory
    const share = isFirst ? 1 : isStable ? platform.shareChanging.value : 1
    const changedRows = isMeasured && !isStable ? requests * measured.changedRows : rows * share
    const tableBytes = changedRows * measured.rowBytes
    const archivedBytes = requests * measured.bodyBytes * share * constants.archiveRatio
    return { load, tasks, requests, rows, changedRows, tableBytes, archivedBytes }
  })

const workOf = (constants: Constants, pass: Pass): Work => ({
  stage: pass.load.stage,
  tasks: pass.tasks,
  requests: pass.requests,
  changedRows: pass.changedRows,
  cpuSeconds:
    (pass.requests * constants.cpuMillisPerRequest +
      (pass.rows / 1000) * constants.cpuMillisPerThousandRows) /
    1000,
})

export const settingOf = (
  constants: Constants,
  workers: number,
  requestsPerSecond: number,
  grain: number,
  seconds = YEAR,
): Setting => {
  const { commits } = constants
  const works = (isFirst: boolean, cadence?: string) =>
    passesOf(constants, isFirst)
      .filter(({ load }) => cadence === undefined || load.cadence === cadence)
      .map((pass) => workOf(constants, pass))
  return {
    workers,
    requestsPerSecond,
    workerRequestsPerSecond: IN_FLIGHT / service.latency.value,
    // A worker handles this many tasks at once, so that no commit has more.
    groupTasks: TASKS_AT_ONCE,
    commit: {
      each: commits.millis / 1000,
      task: commits.millisPerTask / 1000,
      row: commits.millisPerThousandRows / 1e6,
    },
    failure: {
      between: failures.between.value * DAY,
      lease: LEASE,
      restart: failures.restart.value,
    },
    first: works(true),
    hourly: works(false, "hourly"),
    daily: works(false, "daily"),
    seconds,
    grain,
  }
}

export interface Costs {
  readonly tablesGigabytes: number
  readonly bookkeepingGigabytes: number
  readonly archiveGigabytes: number
  /** At the end of the year. */
  readonly dollarsAMonth: number
}

/**
 * The storage and cost after a simulated year, in which every day has the mixture of hourly and daily passes of the
 * first.
 */
export const costsOf = (constants: Constants, { workers }: Setting, year: Simulated): Costs => {
  const first = passesOf(constants, true)
  const later = passesOf(constants, false)
  const days = Math.min(365, year.passes)
  const times = ({ load }: Pass): number => (load.cadence === "hourly" ? year.passes : days)
  const sum = (of: (pass: Pass) => number): number =>
    first.reduce((all, pass) => all + of(pass), 0) +
    later.reduce((all, pass) => all + of(pass) * times(pass), 0)
  const tablesGigabytes = sum(({ tableBytes }) => tableBytes) / GIGABYTE
  const { taskBytes, responseBytes } = constants
  const bookkeepingGigabytes = (year.tasks * taskBytes + year.requests * responseBytes) / GIGABYTE
  const archiveGigabytes = sum(({ archivedBytes }) => archivedBytes) / GIGABYTE
  const stored = tablesGigabytes + bookkeepingGigabytes + archiveGigabytes
  // Each commit ships a piece of the archive and writes a file or two of the tables it changed.
  const writes = (3 * year.commits) / 12
  return {
    tablesGigabytes,
    bookkeepingGigabytes,
    archiveGigabytes,
    dollarsAMonth:
      workers * prices.worker.value +
      prices.postgres.value +
      prices.planner.value +
      stored * prices.storage.value +
      (writes / 1000) * prices.puts.value,
  }
}
