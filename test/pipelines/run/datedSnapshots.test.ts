// A snapshot that can't be read is one that no later response repeats: each stays until a version can read it.
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { prune } from "../../../src/pipelines/archive/prune.ts"
import { replayQuarantine } from "../../../src/pipelines/archive/replayQuarantine.ts"
import { readHealth } from "../../../src/pipelines/publication/health.ts"
import { ahead, fixedDay } from "../../support/movableClock.ts"
import { loseTheWarehouse, replayed, replayOptions } from "../../support/replays.ts"
import { json, scriptedServer } from "../../support/servers/scriptedServer.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { query, runOnce } from "../../support/warehouseRun.ts"

const { now: started, live } = fixedDay("2026-06-01T12:00:00Z")
const HOUR = 3_600_000
const DAY = 24 * HOUR
const pipelines = ["positions", "fees"]

/** An hourly service: for three hours the instant of a snapshot and the fees have names that nobody declared. */
const unreadable = Effect.fnUntraced(function* () {
  let hour = 0
  const isNew = (): boolean => hour < 3
  const { url } = yield* scriptedServer(({ url: path }, response) => {
    const { pathname, searchParams } = new URL(path, "http://service")
    const at = new Date(started + hour * HOUR).toISOString()
    if (pathname.includes("/positions/")) {
      const nav = { total_nav: 1000 + hour, reported_tvl: 1, subaccounts: [] }
      return json(response, isNew() ? { taken: at, ...nav } : { snapshot_at: at, ...nav })
    }
    if (pathname.includes("/fees/"))
      return json(response, isNew() ? [hour] : { management_fee_pct: 1, performance_fee_pct: 10 })
    const vaults = [{ address: `0x${"1".repeat(40)}`, chain: 1 }]
    json(response, searchParams.get("status") === "active" ? vaults : [])
  })
  const dataDir = yield* temporaryFolder
  const sync = Effect.fnUntraced(function* (hours: number) {
    hour = hours
    return yield* ahead(started + hours * HOUR - Date.now(), runOnce(url, dataDir, { pipelines }))
  })
  for (const hours of [0, 1, 2]) yield* sync(hours)
  return { dataDir, sync }
})

const entries = (dataDir: string) =>
  query(
    dataDir,
    `select pipeline, count(*)::integer as entries, count(*) filter (closed_at is null)::integer as open
     from ops.quarantine group by pipeline order by pipeline`,
  )

const snapshots = (dataDir: string) =>
  query(dataDir, "select total_nav::integer as nav from core.position_snapshots order by nav")

const problems = (dataDir: string) =>
  Effect.map(readHealth(dataDir), (health) =>
    health?.quarantine.map(({ pipeline, entries: count }) => ({ pipeline, count })),
  )

const fields = { "position_snapshots.snapshot_at": ["taken"] }

live(
  "every one of them stays until it is loaded, whatever is read after it, and however old it is",
  () =>
    Effect.gen(function* () {
      const { dataDir, sync } = yield* unreadable()
      expect(yield* entries(dataDir)).toEqual([
        { pipeline: "fees", entries: 3, open: 1 },
        { pipeline: "positions", entries: 3, open: 3 },
      ])
      expect(yield* problems(dataDir)).toEqual([
        { pipeline: "fees", count: 1 },
        { pipeline: "positions", count: 3 },
      ])
      expect((yield* sync(3)).summary.outcome).toBe("complete")
      expect(yield* problems(dataDir)).toEqual([])
      const kept = [
        { pipeline: "fees", entries: 3, open: 0 },
        { pipeline: "positions", entries: 3, open: 3 },
      ]
      expect(yield* entries(dataDir)).toEqual(kept)
      const later = started + 200 * DAY - Date.now()
      const pruned = yield* ahead(
        later,
        prune({ dataDir, olderThanDays: 90, dryRun: false, publish: undefined }),
      )
      expect(pruned.dropped).toBeGreaterThan(0)
      expect(yield* entries(dataDir)).toEqual(kept)
      const loaded = yield* replayQuarantine({ ...replayOptions(dataDir), fields })
      expect(loaded).toMatchObject({ closed: 3, stillBroken: [] })
      expect(yield* snapshots(dataDir)).toEqual([1000, 1001, 1002, 1003].map((nav) => ({ nav })))
    }),
)

live("a warehouse made anew from the archive has them all", () =>
  Effect.gen(function* () {
    const { dataDir, sync } = yield* unreadable()
    yield* sync(3)
    loseTheWarehouse(dataDir)
    yield* replayed(dataDir)
    expect(yield* entries(dataDir)).toEqual([
      { pipeline: "fees", entries: 1, open: 0 },
      { pipeline: "positions", entries: 3, open: 3 },
    ])
    yield* replayQuarantine({ ...replayOptions(dataDir), fields })
    expect(yield* snapshots(dataDir)).toHaveLength(4)
  }),
)

live("an entry that was closed a year ago is removed with the records of its time", () =>
  Effect.gen(function* () {
    const { dataDir, sync } = yield* unreadable()
    yield* sync(3)
    yield* ahead(
      started + 400 * DAY - Date.now(),
      prune({ dataDir, olderThanDays: 90, dryRun: false, publish: undefined }),
    )
    expect(yield* entries(dataDir)).toEqual([{ pipeline: "positions", entries: 3, open: 3 }])
    // The newest task of each outcome.
    const tasks = "select outcome from ops.tasks where pipeline = 'fees' order by outcome"
    expect(yield* query(dataDir, tasks)).toEqual([
      { outcome: "loaded" },
      { outcome: "quarantined" },
    ])
  }),
)
