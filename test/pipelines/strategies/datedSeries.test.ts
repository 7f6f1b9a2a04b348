// What a run reads of a series by date, given the cursor of the run before.
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { formatDay } from "../../../src/domain/values/time.ts"
import { fixedDay } from "../../support/movableClock.ts"
import { json, scriptedServer } from "../../support/servers/scriptedServer.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { query, runOnce } from "../../support/warehouseRun.ts"

const { now, live } = fixedDay("2026-06-01T12:00:00Z")
const today = Math.floor(now / 86_400_000)

live("a series whose newest window failed and that had no older point is read whole again", () =>
  Effect.gen(function* () {
    let days: ReadonlyArray<number> | undefined
    const { url } = yield* scriptedServer(({ url: path }, response) => {
      const { pathname, searchParams } = new URL(path, "http://service")
      const vaults = [{ address: `0x${"1".repeat(40)}`, chain: 1 }]
      if (!pathname.endsWith("unrealized_pnl")) {
        return json(response, searchParams.get("status") === "active" ? vaults : [])
      }
      const from = searchParams.get("startDate") ?? ""
      // No request without a first day fails: it shows that nothing is older.
      if (days === undefined) return json(response, from === "" ? [] : { items: "none" })
      const to = searchParams.get("endDate") ?? "9999"
      const points = days
        .map((day) => formatDay(day))
        .filter((day) => day >= from && day <= to)
        .map((day) => ({
          timestamp: `${day}T00:00:00Z`,
          actual_tvl: 100,
          tvl_on_vault: 100,
          adjusted_redeem_ratio: 1,
        }))
      json(response, points.toReversed())
    })
    const dataDir = yield* temporaryFolder
    const sync = runOnce(url, dataDir, { pipelines: ["ratio_history"] })
    const stored = Effect.map(
      query(
        dataDir,
        "select observed_at::date::varchar as day from core.ratio_history order by day",
      ),
      (found) => found.map(({ day }) => day),
    )
    const gaps = query(dataDir, "select 1 from ops.gaps where state = 'open'")
    expect((yield* sync).summary.outcome).toBe("partial")
    expect(yield* stored).toEqual([])
    expect(yield* gaps).toHaveLength(1)
    // Before the days of the gap: its first points may be of any day.
    days = [today - 130, today - 60, today - 59]
    expect((yield* sync).summary.outcome).toBe("complete")
    expect(yield* stored).toEqual(days.map((day) => formatDay(day)))
    expect(yield* gaps).toEqual([])
  }),
)

live("a service that is down for a while leaves as a gap what is missing, not what is stored", () =>
  Effect.gen(function* () {
    let isDown = false
    let newest = today - 1
    const { url } = yield* scriptedServer(({ url: path }, response) => {
      const { pathname, searchParams } = new URL(path, "http://service")
      const vaults = [{ address: `0x${"1".repeat(40)}`, chain: 1 }]
      if (!pathname.endsWith("unrealized_pnl")) {
        return json(response, searchParams.get("status") === "active" ? vaults : [])
      }
      if (isDown) return void response.destroy()
      const from = searchParams.get("startDate") ?? ""
      const to = searchParams.get("endDate") ?? "9999"
      const points = Array.from({ length: newest - today + 61 }, (_, age) =>
        formatDay(newest - age),
      )
        .filter((day) => day >= from && day <= to)
        .map((day) => ({
          timestamp: `${day}T00:00:00Z`,
          actual_tvl: revised.has(day) ? 7 : 100,
          tvl_on_vault: 100,
          adjusted_redeem_ratio: 1,
        }))
      json(response, points)
    })
    const revised = new Set<string>()
    const dataDir = yield* temporaryFolder
    const sync = (full = false) =>
      Effect.map(
        runOnce(url, dataDir, {
          pipelines: ["ratio_history"],
          api: { retryBudgetSeconds: 0 },
          settings: { full },
        }),
        ({ summary }) => summary.outcome,
      )
    const gaps = query(
      dataDir,
      `select from_at::date::varchar as first, to_at::date::varchar as last from ops.gaps
       where state = 'open'`,
    )
    expect(yield* sync()).toBe("complete")
    expect(yield* gaps).toEqual([])
    newest = today
    isDown = true
    const missing = [{ first: formatDay(today - 1), last: formatDay(today) }]
    expect(yield* sync()).toBe("partial")
    expect(yield* gaps).toEqual(missing)
    // Nor does reading everything again record as missing what it could not read again.
    expect(yield* sync(true)).toBe("partial")
    expect(yield* gaps).toEqual(missing)
    isDown = false
    // Within the overlap before the gap, where it is still read again.
    revised.add(formatDay(today - 2))
    expect(yield* sync()).toBe("complete")
    expect(yield* gaps).toEqual([])
    const [stored] = yield* query(
      dataDir,
      `select count(*)::int as points, max(observed_at)::date::varchar as newest,
         count(*) filter (actual_tvl = 7)::int as revised from core.ratio_history`,
    )
    expect(stored).toEqual({ points: 61, newest: formatDay(today), revised: 1 })
  }),
)
