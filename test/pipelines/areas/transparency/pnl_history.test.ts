// A service that dates a snapshot in the future: those that arrive before that date are read all the same.
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ahead, fixedDay } from "../../../support/movableClock.ts"
import { json, scriptedServer } from "../../../support/servers/scriptedServer.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"
import { change, query, runOnce } from "../../../support/warehouseRun.ts"

const { now, live } = fixedDay("2026-06-01T12:30:00Z")
const HOUR = 3_600_000
const HISTORY = 60
const address = `0x${"1".repeat(40)}`

/** A vault with an hourly snapshot, of which one is dated in the future; runs that many hours from now. */
const hourly = Effect.gen(function* () {
  let hours = 0
  const limits: Array<number> = []
  const { url } = yield* scriptedServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url, "http://service")
    if (pathname !== "/platform/unrealized_pnl") {
      return json(response, searchParams.get("status") === "active" ? [{ address, chain: 1 }] : [])
    }
    const limit = Number(searchParams.get("limit"))
    limits.push(limit)
    const newest = Math.floor(now / HOUR) + hours
    const times = Array.from({ length: HISTORY + hours }, (_, age) => newest - age)
    const all = [newest + 2000, ...times].map((hour) => ({
      timestamp: new Date(hour * HOUR).toISOString(),
      unrealizedPnl: "1",
      unrealizedPnlInAsset: "1",
    }))
    json(response, all.slice(0, limit))
  })
  const dataDir = yield* temporaryFolder
  const syncAt = (later: number, settings = {}) => {
    hours = later
    const options = { pipelines: ["pnl_history"], settings }
    return ahead(now - Date.now() + later * HOUR, runOnce(url, dataDir, options))
  }
  const stored = Effect.map(
    query(
      dataDir,
      `select count(*)::int as hours from core.pnl_history where snapshot_at < '2026-08-01'`,
    ),
    ([row]) => row?.["hours"],
  )
  return { dataDir, syncAt, stored, limits }
})

live("later runs request as many as are new", () =>
  Effect.gen(function* () {
    const { syncAt, stored, limits } = yield* hourly
    for (const later of [0, 100, 200]) {
      yield* syncAt(later)
      expect(yield* stored).toBe(HISTORY + later)
    }
    // One request each: about as many as there are since the mark and in the overlap.
    expect(limits).toHaveLength(3)
    expect(Math.max(...limits.slice(1))).toBeLessThan(250)
  }),
)

live("a mark that an earlier version left in the future makes a run read all it can once", () =>
  Effect.gen(function* () {
    const { dataDir, syncAt, stored, limits } = yield* hourly
    yield* syncAt(0)
    yield* change(
      dataDir,
      `update ops.cursors set cursor = json_merge_patch(cursor, '{"through":"2026-08-20T00:00:00.000000Z"}')
       where pipeline = 'pnl_history'`,
    )
    yield* syncAt(100)
    expect(yield* stored).toBe(HISTORY + 100)
    yield* syncAt(101)
    expect(limits.slice(1).map((limit) => limit === 1000)).toEqual([true, false])
  }),
)

live(
  "a lost hour that the newest snapshots do not reach any more is given up for that reason",
  () =>
    Effect.gen(function* () {
      const { dataDir, syncAt } = yield* hourly
      for (const later of [0, 500, 1000]) yield* syncAt(later)
      // With the snapshot of the future, the newest thousand begin here.
      const oldest = Math.floor(now / HOUR) + 1000 - 998
      const lost = [oldest - 1, oldest + 1].map((hour) => new Date(hour * HOUR).toISOString())
      yield* change(
        dataDir,
        ...lost.map(
          (at) => `delete from core.pnl_history where snapshot_at = '${at.slice(0, 19)}'`,
        ),
      )
      yield* syncAt(1000, { fillGaps: true })
      const stored = yield* query(
        dataDir,
        `select strftime(snapshot_at, '%xT%X.000Z') as at from core.pnl_history
       where snapshot_at in (${lost.map((at) => `'${at.slice(0, 19)}'`).join(", ")})`,
      )
      expect(stored).toEqual([{ at: lost[1] }])
      const given = yield* query(
        dataDir,
        "select epoch_ms(from_at)::double as at, state, detail from ops.gaps",
      )
      expect(given).toEqual([
        {
          at: (oldest - 1) * HOUR,
          state: "permanent",
          detail: expect.stringContaining("the newest 1000 snapshots, which do not reach it"),
        },
      ])
    }),
)
