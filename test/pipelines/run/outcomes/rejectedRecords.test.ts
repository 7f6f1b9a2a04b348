// A record that is not as documented, among others that are: later runs read back to it until the service sends it right.
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { formatDay } from "../../../../src/domain/values/time.ts"
import { json, scriptedServer } from "../../../support/servers/scriptedServer.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"
import { query, runOnce } from "../../../support/warehouseRun.ts"
import { fixedDay } from "../../../support/movableClock.ts"

const { now: started, live } = fixedDay("2026-06-01T12:00:00Z")

const HOUR = 3_600_000
const thisHour = Math.floor(started / HOUR)
const today = Math.floor(thisHour / 24)

/**
 * Runs a pipeline with a broken record three times, at last to fill gaps, then twice without; returns what each run
 * requested of the history.
 */
const runs = Effect.fnUntraced(function* (
  pipeline: string,
  table: string,
  respond: (inputs: URLSearchParams, isMended: boolean) => unknown,
) {
  let isMended = false
  let requests: Array<URLSearchParams> = []
  const server = yield* scriptedServer(({ url }, response) => {
    const { pathname, searchParams } = new URL(url, "http://service")
    if (pathname.includes("/platform/")) {
      requests.push(searchParams)
      json(response, respond(searchParams, isMended))
    } else {
      const vault = { address: `0x${"1".repeat(40)}`, chain: 1 }
      json(response, searchParams.get("status") === "active" ? [vault] : [])
    }
  })
  const dataDir = yield* temporaryFolder
  const run = Effect.fnUntraced(function* (fillGaps: boolean) {
    requests = []
    const options = { pipelines: [pipeline], settings: { fillGaps } }
    const { summary } = yield* runOnce(server.url, dataDir, options)
    const [found] = yield* query(
      dataDir,
      `select (select count(*)::int from ${table}) as rows,
         (select count(*)::int from ops.quarantine where closed_at is null) as quarantined,
         (select count(*)::int from ops.gaps) as gaps`,
    )
    return { outcome: summary.outcome, ...found, requests }
  })
  const broken = [yield* run(false), yield* run(false), yield* run(true)]
  isMended = true
  return { broken, mended: [yield* run(false), yield* run(false)] }
})

live("a PnL snapshot", () =>
  Effect.gen(function* () {
    const all = 900
    const { broken, mended } = yield* runs("pnl_history", "core.pnl_history", (inputs, isMended) =>
      Array.from({ length: Math.min(all, Number(inputs.get("limit"))) }, (_, age) => ({
        timestamp: new Date((thisHour - age) * HOUR).toISOString(),
        unrealizedPnl: age === 700 && !isMended ? "n/a" : age,
        unrealizedPnlInAsset: age,
      })),
    )
    for (const run of broken) {
      expect(run).toMatchObject({ outcome: "partial", rows: all - 1, gaps: 0 })
    }
    const [first, then] = mended
    expect(first).toMatchObject({ outcome: "complete", rows: all, quarantined: 0, gaps: 0 })
    expect(first?.requests.length).toBe(1)
    // No longer than to the overlap.
    expect(then?.requests.map((inputs) => Number(inputs.get("limit")) < 200)).toEqual([true])
  }),
)

live("the day of an APY value", () =>
  Effect.gen(function* () {
    const all = 60
    const { broken, mended } = yield* runs(
      "apy_history",
      "core.apy_history",
      (inputs, isMended) => {
        const wanted = Number(inputs.get("daysAgo"))
        const days = Array.from(
          { length: wanted < 0 ? all : Math.min(all, wanted) },
          (_, age) => age,
        )
        return {
          labels: days
            .map((age) => (age === 40 && !isMended ? "soon" : formatDay(today - age)))
            .toReversed(),
          values: days.map((age) => age / 1000).toReversed(),
        }
      },
    )
    // Two series.
    for (const run of broken) {
      expect(run).toMatchObject({ outcome: "partial", rows: 2 * (all - 1), gaps: 0 })
    }
    const [first, then] = mended
    expect(first).toMatchObject({ outcome: "complete", rows: 2 * all, quarantined: 0, gaps: 0 })
    expect(first?.requests.length).toBe(2)
    // And the lead-in.
    expect(then?.requests.map((inputs) => Number(inputs.get("daysAgo")) < 20 + 15)).toEqual([
      true,
      true,
    ])
  }),
)
