// Dated snapshots that can't be read: no later response repeats one, so each is kept for a version that can.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { prune } from "../../../src/pipelines/archive/prune.ts"
import { replayQuarantine } from "../../../src/pipelines/archive/replayQuarantine.ts"
import { verify } from "../../../src/pipelines/archive/verify.ts"
import { datedSnapshots } from "../../../src/pipelines/pipelines.ts"
import { ahead, fixedDay } from "../../support/movableClock.ts"
import { loseTheWarehouse, replayed, replayOptions } from "../../support/replays.ts"
import { json, scriptedServer } from "../../support/servers/scriptedServer.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { query, runOnce } from "../../support/warehouseRun.ts"

const { now: started, live } = fixedDay("2026-06-01T12:00:00Z")
const HOUR = 3_600_000
const DAY = 24 * HOUR
const pipelines = ["positions", "fees"]

it("are those that the pages name", () => {
  const names = datedSnapshots.map((name) => name.replace("_", " ")).join(", ")
  for (const page of ["glossary", "operations"]) {
    const text = readFileSync(join(import.meta.dirname, `../../../docs/${page}.md`), "utf8")
    expect(text, page).toContain(names)
  }
})

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

const openEntries = (dataDir: string) =>
  query(dataDir, "select pipeline from ops.quarantine where closed_at is null order by all")

const snapshots = (dataDir: string) =>
  query(dataDir, "select total_nav::integer as nav from core.position_snapshots order by nav")

const all = [1000, 1001, 1002, 1003].map((nav) => ({ nav }))

const load = (dataDir: string) =>
  replayQuarantine({
    ...replayOptions(dataDir),
    fields: { "position_snapshots.snapshot_at": ["taken"] },
  })

const pruned = (dataDir: string, days: number) =>
  ahead(
    started + days * DAY - Date.now(),
    prune({ dataDir, olderThanDays: 90, dryRun: false, publish: undefined }),
  )

live("each can be loaded, though a later one was read and the entry is closed", () =>
  Effect.gen(function* () {
    const { dataDir, sync } = yield* unreadable()
    expect(yield* openEntries(dataDir)).toEqual([{ pipeline: "fees" }, { pipeline: "positions" }])
    expect((yield* sync(3)).summary.outcome).toBe("complete")
    expect(yield* openEntries(dataDir)).toEqual([])
    // Nothing that this version can't read is a finding: a later one was read.
    expect(yield* replayQuarantine(replayOptions(dataDir))).toMatchObject({
      closed: 0,
      stillBroken: [],
    })
    expect((yield* pruned(dataDir, 364)).dropped).toBeGreaterThan(0)
    expect(yield* load(dataDir)).toMatchObject({ closed: 3, stillBroken: [] })
    expect(yield* snapshots(dataDir)).toEqual(all)
    const findings = yield* verify({ dataDir })
    expect(findings.map(({ detail }) => detail)).toEqual(["there is no published copy"])
    expect(yield* load(dataDir)).toMatchObject({ closed: 0, rows: 0, stillBroken: [] })
  }),
)

live("with the newest, which is in an open entry", () =>
  Effect.gen(function* () {
    const { dataDir } = yield* unreadable()
    expect(yield* load(dataDir)).toMatchObject({
      closed: 3,
      stillBroken: [{ pipeline: "fees" }],
    })
    expect(yield* snapshots(dataDir)).toEqual(all.slice(0, 3))
    expect(yield* openEntries(dataDir)).toEqual([{ pipeline: "fees" }])
  }),
)

live("a warehouse made anew from the archive can load them too", () =>
  Effect.gen(function* () {
    const { dataDir, sync } = yield* unreadable()
    yield* sync(3)
    loseTheWarehouse(dataDir)
    yield* replayed(dataDir)
    expect(yield* snapshots(dataDir)).toEqual(all.slice(3))
    yield* load(dataDir)
    expect(yield* snapshots(dataDir)).toEqual(all)
  }),
)

live("they are kept for a year", () =>
  Effect.gen(function* () {
    const { dataDir, sync } = yield* unreadable()
    yield* sync(3)
    yield* pruned(dataDir, 366)
    expect(yield* load(dataDir)).toMatchObject({ closed: 0 })
    expect(yield* snapshots(dataDir)).toEqual(all.slice(3))
  }),
)

live(
  "an earlier day of an oracle classification takes its place before what was read after it",
  () =>
    Effect.gen(function* () {
      const day = "2026-05-31"
      const bodies = [
        {
          snapshot_date: day,
          warnings: [],
          positions: [{ position: "a", pricing_class: "Primary", usd_value: 1 }],
        },
        {
          snapshot_date: day,
          warnings: [],
          held: [{ position: "a", pricing_class: "Primary", usd_value: 2 }],
        },
        {
          snapshot_date: day,
          warnings: [],
          positions: [{ position: "a", pricing_class: "Primary", usd_value: 1 }],
        },
      ]
      let run = 0
      const { url } = yield* scriptedServer(({ url: path }, response) => {
        const { pathname, searchParams } = new URL(path, "http://service")
        if (pathname.includes("oracle")) return json(response, bodies[run])
        const vaults = [{ address: `0x${"1".repeat(40)}`, chain: 1 }]
        json(response, searchParams.get("status") === "active" ? vaults : [])
      })
      const dataDir = yield* temporaryFolder
      for (run = 0; run < bodies.length; run += 1) {
        yield* ahead(
          started + run * HOUR - Date.now(),
          runOnce(url, dataDir, { pipelines: ["oracle_classification"] }),
        )
      }
      const values = query(
        dataDir,
        `select usd_value::integer as usd from core.oracle_classification where date = '${day}'`,
      )
      expect(yield* values).toEqual([{ usd: 1 }])
      yield* pruned(dataDir, 200)
      yield* replayQuarantine({
        ...replayOptions(dataDir),
        fields: { oracle_classification: ["held"] },
      })
      expect(yield* values).toEqual([{ usd: 1 }])
      const versions = yield* query(
        dataDir,
        "select usd_value::integer as usd from core.oracle_classification_versions order by usd",
      )
      expect(versions).toEqual([{ usd: 1 }, { usd: 2 }])
    }),
)
