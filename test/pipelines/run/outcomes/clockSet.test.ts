// Runs around a year's end and 29 February, while the machine's clock is set back and forward between and during them, against
// a service that says no time: nothing is lost, doubled or dated before what it follows.
import { expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { movedClock } from "../../../../src/domain/run/movedClock.ts"
import { expectTruth, simulated } from "../../../support/simulated.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"
import { query, runOnce } from "../../../support/warehouseRun.ts"

const HOUR = 3_600_000

// What the service has when a run begins, how far the clock is behind that, and by how much it is set during the run.
const runs = [
  { now: "2027-12-31T23:59:30Z", behind: 0, steps: [HOUR, -3 * HOUR] },
  { now: "2028-02-29T00:00:30Z", behind: 5 * HOUR, steps: [] },
  { now: "2028-02-29T23:30:00Z", behind: -HOUR, steps: [-2 * HOUR, 26 * HOUR] },
  { now: "2028-03-01T00:30:00Z", behind: 0, steps: [-HOUR] },
]

it.live("a clock that is set back and forward loses and doubles nothing", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    const machine = yield* Clock.Clock
    for (const { now, behind, steps } of runs) {
      const start = "2027-12-30T00:00:00Z"
      const simulator = yield* simulated({ vaults: 1, pnlEveryHours: 2, start, now })
      let ahead = Date.parse(now) - behind - Date.now()
      const left = [...steps]
      const { summary } = yield* Effect.provideService(
        runOnce(simulator.url, dataDir, {
          settings: { full: true },
          onProgress: ({ kind }) => {
            if (kind === "done") ahead += left.shift() ?? 0
          },
        }),
        Clock.Clock,
        movedClock(machine, () => Math.round(ahead * 1000)),
      )
      expect(summary.outcome, now).toBe("complete")
      expect(left).toEqual([])
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
