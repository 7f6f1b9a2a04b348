// Runs around a year's end and 29 February, while the machine's clock is set back and forward between and during them, against
// a service that says no time: nothing is lost, doubled or dated before what it follows.
import { describe, expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { movedClock } from "../../../../src/domain/run/movedClock.ts"
import type { Simulator } from "../../../../simulator/index.ts"
import { coreTables } from "../../../../src/pipelines/pipelines.ts"
import { asAdmin, expectTruth, simulated } from "../../../support/simulated.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"
import { type Overrides, queries, query, runOnce } from "../../../support/warehouseRun.ts"

const HOUR = 3_600_000

// What the service has when a run begins, how far the clock is behind that, and by how much it is set during the run.
const runs = [
  { now: "2027-12-31T23:59:30Z", behind: 0, steps: [HOUR, -3 * HOUR] },
  { now: "2028-02-29T00:00:30Z", behind: 5 * HOUR, steps: [] },
  { now: "2028-02-29T19:30:00Z", behind: -5 * HOUR, steps: [] },
  { now: "2028-02-29T23:30:00Z", behind: -HOUR, steps: [-2 * HOUR, 26 * HOUR] },
  { now: "2028-03-01T00:30:00Z", behind: 0, steps: [-HOUR] },
]

const serviceAt = (now: string) =>
  simulated({ vaults: 1, subaccounts: 2, pnlEveryHours: 2, start: "2027-12-30T00:00:00Z", now })

/** A run by a clock that shows `at` when it begins and is moved by a step whenever a pipeline is done. */
const runBy = Effect.fnUntraced(function* (
  { url }: Simulator,
  dataDir: string,
  at: number,
  steps: ReadonlyArray<number>,
  overrides: Overrides,
) {
  const machine = yield* Clock.Clock
  let ahead = at - Date.now()
  const left = [...steps]
  const { summary } = yield* Effect.provideService(
    runOnce(url, dataDir, {
      ...overrides,
      onProgress: ({ kind }) => {
        if (kind === "done") ahead += left.shift() ?? 0
      },
    }),
    Clock.Clock,
    movedClock(machine, () => Math.round(ahead * 1000)),
  )
  expect(summary.outcome).toBe("complete")
  expect(left).toEqual([])
})

// What a run goes on with where the one before ended, or reads once.
const pipelines = [
  "vaults",
  "ratio_history",
  "pnl_history",
  "apy_history",
  "allocation_history",
  "subaccounts",
  "transactions",
  "revert_reasons",
  "audit_log",
  "timelocks",
]
const stored = coreTables.filter(({ name }) => pipelines.includes(name))

/** What is current of those, without when and by which run it was read. */
const current = (dataDir: string) =>
  Effect.map(
    queries(
      dataDir,
      stored.map(({ schema, name, mode, columns }) => {
        const list = columns.map((column) => `"${column.name}"`).join(", ")
        const isCurrent = mode === "slowly_changing" ? "where is_current" : ""
        return `select ${list} from ${schema}.${name} ${isCurrent} order by all`
      }),
    ),
    (found) => Object.fromEntries(stored.map(({ name }, at) => [name, found[at]])),
  )

describe("a clock that is set back and forward", () => {
  it.live("loses and doubles nothing that is read again", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      for (const { now, behind, steps } of runs) {
        const simulator = yield* serviceAt(now)
        const settings = { full: true }
        yield* runBy(simulator, dataDir, Date.parse(now) - behind, steps, { settings })
        // By a clock that is behind, the newest points are of tomorrow: the next run reads them.
        if (behind <= 0) yield* expectTruth(simulator, dataDir)
      }
      const counts = yield* query(
        dataDir,
        `select (select count(*)::integer from ops.tasks where seconds < 0) as negative,
           (select count(*)::integer from core.vaults where valid_to <= valid_from) as backwards,
           (select (count(*) - count(distinct vault_address))::integer from core.vaults where is_current) as doubled`,
      )
      expect(counts).toEqual([{ negative: 0, backwards: 0, doubled: 0 }])
    }),
  )

  it.live("leaves nothing out that only a run that reads everything would find", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      for (const { now, behind, steps } of runs) {
        const simulator = yield* serviceAt(now)
        const overrides = { api: asAdmin, pipelines }
        yield* runBy(simulator, dataDir, Date.parse(now) - behind, steps, overrides)
      }
      const { now } = runs.at(-1)!
      const simulator = yield* serviceAt(now)
      yield* expectTruth(simulator, dataDir)
      const other = yield* temporaryFolder
      const overrides = { api: asAdmin, pipelines, settings: { full: true } }
      yield* runBy(simulator, other, Date.parse(now), [], overrides)
      const whole = yield* current(other)
      expect(yield* current(dataDir)).toEqual(whole)
      expect(Object.keys(whole)).toHaveLength(pipelines.length)
      for (const name of pipelines) expect(whole[name], name).not.toEqual([])
    }),
  )
})
