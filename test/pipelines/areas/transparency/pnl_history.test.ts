// A service that dates a snapshot in the future: those that arrive before that date are read all the same. And what a run
// that reads everything again could not read.
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ahead, fixedDay } from "../../../support/movableClock.ts"
import { json, scriptedServer } from "../../../support/servers/scriptedServer.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"
import { change, queries, query, runOnce } from "../../../support/warehouseRun.ts"

const { now, live } = fixedDay("2026-06-01T12:30:00Z")
const HOUR = 3_600_000
const HISTORY = 60
const address = `0x${"1".repeat(40)}`

/** A vault with an hourly snapshot, of which one is dated in the future; runs that many hours from now. */
const hourly = Effect.gen(function* () {
  let hours = 0
  const limits: Array<number> = []
  const service: { pnl: string; broken?: object | undefined } = { pnl: "1" }
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
      unrealizedPnl: service.pnl,
      unrealizedPnlInAsset: "1",
    }))
    json(response, service.broken ?? all.slice(0, limit))
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
  return { dataDir, syncAt, stored, limits, service }
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

live("what --full could not read is read by the next run, which then closes its entry", () =>
  Effect.gen(function* () {
    const { dataDir, syncAt, limits, service } = yield* hourly
    const found = [
      `select unrealized_pnl::int as pnl, count(*)::int as n from core.pnl_history
       where snapshot_at < '2026-08-01' group by pnl`,
      "select 1 from ops.quarantine where closed_at is null",
      "select 1 from ops.gaps",
    ]
    yield* syncAt(500)
    for (const [later, pnl, broken, entries] of [
      [501, 2, { items: "none" }, 1],
      [502, 3, [], 0],
    ] as const) {
      service.pnl = String(pnl)
      service.broken = broken
      yield* syncAt(later, { full: true })
      expect((yield* queries(dataDir, found))[1]).toHaveLength(entries)
      service.broken = undefined
      yield* syncAt(later)
      expect(yield* queries(dataDir, found)).toEqual([[{ pnl, n: HISTORY + later }], [], []])
    }
    limits.length = 0
    yield* syncAt(503)
    expect(Math.max(...limits)).toBeLessThan(1000)
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
