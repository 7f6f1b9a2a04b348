// An entry of the quarantine stays open until its record is read again and found whole.
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { formatDay } from "../../src/domain/time.ts"
import { json, scriptedServer } from "../support/scriptedServer.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { query, runOnce } from "../support/warehouseRun.ts"

const DAY = 86_400_000
const today = Math.floor(Date.now() / DAY)
const broken = today - 20

/** Hourly ratio points of 30 days; one of them can't be read until `isMended`. */
const points = (from: number, to: number, isMended: boolean) =>
  Array.from({ length: 30 * 24 }, (_, hour) => (today - 30) * 24 + hour)
    .filter((hour) => hour >= from * 24 && hour < (to + 1) * 24)
    .toReversed()
    .map((hour) => ({
      timestamp: new Date(hour * 3_600_000).toISOString(),
      actual_tvl: hour === broken * 24 + 5 && !isMended ? "n/a" : 100,
      tvl_on_vault: 100,
      adjusted_redeem_ratio: 1,
    }))

it.live("a run that reads other days leaves it open; the window it is in is read again", () =>
  Effect.gen(function* () {
    let isMended = false
    const server = yield* scriptedServer(({ url }, response) => {
      const { pathname, searchParams } = new URL(url, "http://service")
      if (pathname.endsWith("unrealized_pnl")) {
        const day = (name: string) => Math.floor(Date.parse(searchParams.get(name) ?? "") / DAY)
        const from = searchParams.has("startDate") ? day("startDate") : 0
        const to = searchParams.has("endDate") ? day("endDate") : today
        json(response, points(from, to, isMended))
      } else {
        const vault = { address: `0x${"1".repeat(40)}`, chain: 1 }
        json(response, searchParams.get("status") === "active" ? [vault] : [])
      }
    })
    const dataDir = yield* temporaryFolder
    const sync = Effect.map(
      runOnce(server.url, dataDir, { pipelines: ["ratio_history"] }),
      ({ summary }) => summary.outcome,
    )
    const open = query(
      dataDir,
      `select count(*)::int as entries,
         (select count(*)::int from ops.gaps where state = 'open') as gaps
       from ops.quarantine where closed_at is null`,
    )
    for (const run of [1, 2, 3]) {
      expect(yield* sync, `run ${run}, ${formatDay(broken)}`).toBe("partial")
      expect(yield* open, `run ${run}`).toEqual([{ entries: 1, gaps: 1 }])
    }
    isMended = true
    expect(yield* sync).toBe("complete")
    expect(yield* open).toEqual([{ entries: 0, gaps: 0 }])
    const [found] = yield* query(dataDir, "select count(*)::int as points from core.ratio_history")
    expect(found).toEqual({ points: 30 * 24 })
  }),
)
