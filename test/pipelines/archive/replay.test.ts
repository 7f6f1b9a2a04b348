// The archive against the tables it made: replayed, replayed without a warehouse, pruned, and out of quarantine.
import { readFileSync, rmSync } from "node:fs"
import { open } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { defaultTimeFields } from "../../../src/domain/wire/timeFields.ts"
import { compact } from "../../../src/pipelines/archive/compact.ts"
import { prune } from "../../../src/pipelines/archive/prune.ts"
import { replayQuarantine } from "../../../src/pipelines/archive/replayQuarantine.ts"
import { verify } from "../../../src/pipelines/archive/verify.ts"
import {
  content,
  expectReplays,
  loseTheWarehouse,
  martContent,
  martsReading,
  replayed,
  replayOptions,
} from "../../support/replays.ts"
import { fixedDay } from "../../support/movableClock.ts"
import { json, scriptedServer } from "../../support/servers/scriptedServer.ts"
import { sharedWarehouse } from "../../support/sharedWarehouse.ts"
import { asAdmin, simulated } from "../../support/simulated.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { change, query, runOnce } from "../../support/warehouseRun.ts"

const { now: started, live } = fixedDay("2026-06-01T12:00:00Z")

const api = asAdmin

/** Tables of each mode; test/pipelines/run/killed.test.ts replays all of them. */
const pipelines = [
  "ratio_history",
  "pnl_history",
  "apy_history",
  "allocation_history",
  "positions",
  "fees",
  "subaccounts",
  "transactions",
]

/** A warehouse of three runs, between which the service restated its history. */
const lived = sharedWarehouse(
  Effect.fnUntraced(function* (dataDir) {
    const simulator = yield* simulated({
      vaults: 2,
      days: 5,
      subaccounts: 2,
      now: "2026-06-01T00:00:00Z",
      start: "2026-05-27T00:00:00Z",
    })
    const run = runOnce(simulator.url, dataDir, { api, pipelines })
    yield* run
    simulator.patch({ now: "2026-06-01T06:00:00Z", revision: 1 })
    yield* run
    simulator.patch({ now: "2026-06-02T06:00:00Z" })
    yield* run
  }),
)

describe("replay", () => {
  it.live("makes the same rows to the last bit, and none when they are there", () =>
    Effect.gen(function* () {
      const dataDir = yield* lived
      const before = yield* content(dataDir)
      const versions = yield* query(
        dataDir,
        "select count(*) as n from core.ratio_history_versions",
      )
      expect(Number(versions[0]?.["n"])).toBeGreaterThan(0)
      const untouched = yield* replayed(dataDir)
      expect(untouched.tables.filter(({ isSame }) => !isSame)).toEqual([])
      expect(untouched.responses).toBeGreaterThan(20)

      yield* change(
        dataDir,
        "delete from core.apy_history",
        "update core.ratio_history set actual_tvl = 0 where vault_address = (select min(vault_address) from core.ratio_history)",
        "delete from core.vaults",
      )
      const rebuilt = yield* replayed(dataDir)
      const differed = rebuilt.tables.filter(({ isSame }) => !isSame).map(({ table }) => table)
      expect(differed.toSorted()).toEqual(["core.apy_history", "core.ratio_history", "core.vaults"])
      expect(yield* content(dataDir)).toEqual(before)
    }),
  )

  it.live("makes them from the archive alone where the warehouse is gone", () =>
    Effect.gen(function* () {
      const dataDir = yield* lived
      const marts = yield* martContent(dataDir)
      yield* expectReplays(dataDir)
      expect(yield* martContent(dataDir)).toEqual(marts)
    }),
  )

  it("names the marts over ops.*, which it can't make again, where it says what it promises", () => {
    const promise = readFileSync("docs/decisions/0011-commit-markers.md", "utf8")
    for (const mart of martsReading(/\bops\./)) expect(promise).toContain(`\`${mart}\``)
  })

  it.live("leaves a table as it is where it would lose rows, and rebuilds the others", () =>
    Effect.gen(function* () {
      const dataDir = yield* lived
      const before = yield* content(dataDir)
      yield* change(
        dataDir,
        "delete from raw.responses where endpoint = 'unrealized_pnl'",
        "delete from core.apy_history",
      )
      const { lost, tables } = yield* replayed(dataDir)
      expect(lost.map(({ table }) => table)).toContain("core.pnl_history")
      expect(tables.map(({ table }) => table)).not.toContain("core.pnl_history")
      expect(yield* content(dataDir)).toEqual(before)
    }),
  )

  it.live("leaves out a damaged response, says which, and rebuilds the rest", () =>
    Effect.gen(function* () {
      const dataDir = yield* lived
      const before = yield* content(dataDir)
      const [frame] = yield* query(
        dataDir,
        `select archive_file as file, archive_offset::integer as offset from raw.responses
         where pipeline = 'fees' and is_landed order by received_at limit 1`,
      )
      const segment = String(frame?.["file"])
      yield* Effect.promise(async () => {
        const file = await open(join(dataDir, "raw", segment), "r+")
        await file.write(Buffer.from([255, 0, 255, 0]), 0, 4, Number(frame?.["offset"]) + 40)
        await file.close()
      })
      // Rows of the damaged frame stay, others are made again: the lists of vaults came before.
      yield* change(dataDir, "delete from core.vaults")
      const { unreadable } = yield* replayed(dataDir)
      expect(unreadable.map(({ pipeline }) => pipeline)).toContain("fees")
      expect(new Set(unreadable.map(({ file }) => file))).toEqual(new Set([segment]))
      expect(unreadable[0]?.why).toContain("damaged")
      expect(yield* content(dataDir)).toEqual(before)
      expect(yield* verify({ dataDir })).toContainEqual(
        expect.objectContaining({ kind: "unreadable", path: `raw/${segment}` }),
      )
    }),
  )
})

describe("a response whose segment is gone", () => {
  it.live("takes no end of a row with it that it alone had left out", () =>
    Effect.gen(function* () {
      let listed = ["a", "b"]
      const server = yield* scriptedServer((_, response) => {
        json(
          response,
          listed.map((end) => ({ address: `0x${"0".repeat(39)}${end}`, chain: 1, name: end })),
        )
      })
      const dataDir = yield* temporaryFolder
      const sync = runOnce(server.url, dataDir, { pipelines: ["vaults"] })
      yield* sync
      listed = ["a"]
      yield* sync
      const ended = "select count(*)::integer as rows from core.vaults where valid_to is not null"
      expect(yield* query(dataDir, ended)).toEqual([{ rows: 1 }])
      const before = yield* content(dataDir)
      const [segment] = yield* query(
        dataDir,
        `select distinct archive_file as file from raw.responses
         where run_id = (select max(run_id) from ops.runs)`,
      )
      rmSync(join(dataDir, "raw", String(segment?.["file"])))
      const { lost, unreadable } = yield* replayed(dataDir)
      expect(unreadable.length).toBeGreaterThan(0)
      expect(lost.map(({ table }) => table)).toContain("core.vaults")
      expect(yield* content(dataDir)).toEqual(before)
    }),
  )
})

describe("a response that this version can't read", () => {
  it.live("is left out and named; the rest is rebuilt, and its rows stay where they are", () =>
    Effect.gen(function* () {
      const timeFields = ["measured_on", ...defaultTimeFields]
      const simulator = yield* simulated({
        vaults: 1,
        days: 10,
        now: "2026-06-01T00:00:00Z",
        timeField: "measured_on",
      })
      const dataDir = yield* temporaryFolder
      yield* runOnce(simulator.url, dataDir, {
        pipelines: ["ratio_history", "fees"],
        settings: { timeFields },
      })
      const before = yield* content(dataDir)
      const first = yield* replayed(dataDir)
      expect(new Set(first.unreadable.map(({ pipeline }) => pipeline))).toEqual(
        new Set(["ratio_history"]),
      )
      expect(first.lost.map(({ table }) => table)).toEqual(["core.ratio_history"])
      expect(yield* content(dataDir)).toEqual(before)
      loseTheWarehouse(dataDir)
      const alone = yield* replayed(dataDir)
      expect(alone.unreadable).toEqual(first.unreadable)
      const rows = (yield* content(dataDir)).filter((row) => row["rows"] !== 0)
      expect(rows).toEqual(
        before.filter((row) => row["rows"] !== 0 && row["name"] !== "ratio_history"),
      )
      yield* replayed(dataDir, timeFields)
      expect(yield* content(dataDir)).toEqual(before)
    }),
  )
})

describe("compact", () => {
  it.live("joins the runs of each month, this one included, and nothing is missing", () =>
    Effect.gen(function* () {
      const dataDir = yield* lived
      const before = yield* content(dataDir)
      const joined = yield* compact({ dataDir })
      expect(joined).toMatchObject({ segmentsBefore: 3, segmentsAfter: 1 })
      expect(joined.bytesAfter).toBeLessThan(joined.bytesBefore)
      expect(yield* compact({ dataDir })).toMatchObject({ segmentsBefore: 1, segmentsAfter: 1 })
      const again = yield* replayed(dataDir)
      expect(again.tables.filter(({ isSame }) => !isSame)).toEqual([])
      yield* prune({ dataDir, olderThanDays: 0, dryRun: false })
      loseTheWarehouse(dataDir)
      yield* replayed(dataDir)
      expect(yield* content(dataDir)).toEqual(before)
    }),
  )
})

describe("a window that was broken for a while", () => {
  it.live("is one entry in quarantine, requested once a run, and replayed as it was", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({ vaults: 1, days: 30, now: "2026-06-01T00:00:00Z" })
      const dataDir = yield* temporaryFolder
      const only = { pipelines: ["ratio_history"] }
      yield* runOnce(simulator.url, dataDir, only)
      const requests = () =>
        Object.entries(simulator.requests().counts)
          .filter(([name]) => name.includes("unrealized_pnl"))
          .reduce((sum, [, count]) => sum + count, 0)
      simulator.patch({
        revision: 1,
        faults: [{ kind: "contract-break", match: "fields=ratio" }],
      })
      for (const _ of [1, 2, 3]) {
        const before = requests()
        yield* runOnce(simulator.url, dataDir, only)
        expect(requests() - before).toBe(1)
      }
      expect(yield* query(dataDir, "select endpoint from ops.quarantine")).toHaveLength(1)
      simulator.patch({ faults: [], revision: 2 })
      const before = requests()
      const { summary } = yield* runOnce(simulator.url, dataDir, only)
      expect(summary.outcome).toBe("complete")
      expect(requests() - before).toBe(1)
      const unresolved = "select * from ops.quarantine where closed_at is null"
      expect(yield* query(dataDir, unresolved)).toEqual([])
      const again = yield* replayed(dataDir)
      expect(again.tables.filter(({ isSame }) => !isSame)).toEqual([])
    }),
  )
})

describe("replay from quarantine", () => {
  it.live("loads what was set aside once it can be read, and closes its entries", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({
        vaults: 1,
        days: 60,
        now: "2026-06-01T00:00:00Z",
        timeField: "measured_on",
      })
      const dataDir = yield* temporaryFolder
      const { summary } = yield* runOnce(simulator.url, dataDir, {
        pipelines: ["ratio_history", "pnl_history"],
      })
      expect(summary.outcome).toBe("partial")
      const openEntries = () =>
        query(dataDir, "select pipeline from ops.quarantine where closed_at is null order by 1")
      expect(yield* openEntries()).toEqual([
        { pipeline: "pnl_history" },
        { pipeline: "ratio_history" },
      ])
      const still = yield* replayQuarantine(replayOptions(dataDir))
      expect(still).toMatchObject({ closed: 0, rows: 0 })
      expect(still.stillBroken[0]?.detail).toContain("measured_on")
      const requests = simulator.requests().counts
      const timeFields = ["measured_on", ...defaultTimeFields]
      const loaded = yield* replayQuarantine(replayOptions(dataDir, timeFields))
      expect(loaded).toMatchObject({ closed: 2, stillBroken: [] })
      expect(simulator.requests().counts).toEqual(requests)
      expect(yield* openEntries()).toEqual([])
      const [rows] = yield* query(dataDir, "select count(*) as n from core.pnl_history")
      expect(loaded.rows).toBeGreaterThan(Number(rows?.["n"]))
      // What was loaded belongs to the archive's replay from now on.
      const again = yield* replayed(dataDir, timeFields)
      expect(again.tables.filter(({ isSame }) => !isSame)).toEqual([])
      const quarantined = yield* query(
        dataDir,
        "select count(*) as n from ops.gaps where state = 'open' and reason = 'quarantined'",
      )
      expect(Number(quarantined[0]?.["n"])).toBe(0)
    }),
  )

  it.live("leaves open what the warehouse refuses still, and says why", () =>
    Effect.gen(function* () {
      const vault = `0x${"ab".repeat(20)}`
      const server = yield* scriptedServer(({ url }, response) => {
        if (url.startsWith("/tokenized_vault?")) {
          return json(response, url.endsWith("active") ? [{ address: vault, chain: 1 }] : [])
        }
        // Together they are more than a number can be.
        const subaccounts = ["1", "2"].map((digit) => ({
          subaccount: `0x${digit.repeat(40)}`,
          total_usd: 1e308,
        }))
        json(response, {
          snapshot_at: "2026-06-01T11:00:00Z",
          total_nav: 1,
          reported_tvl: 1,
          subaccounts,
        })
      })
      const dataDir = yield* temporaryFolder
      yield* runOnce(server.url, dataDir, { pipelines: ["positions"] })
      const entries = query(dataDir, "select detail from ops.quarantine where closed_at is null")
      const before = yield* entries
      expect(before).toHaveLength(1)
      const landed = query(
        dataDir,
        "select count(*) filter (is_landed)::integer as n from raw.responses",
      )
      const counted = yield* landed
      const summary = yield* replayQuarantine(replayOptions(dataDir))
      expect(summary).toMatchObject({
        closed: 0,
        rows: 0,
        stillBroken: [{ pipeline: "positions", detail: expect.stringContaining("Infinity") }],
      })
      expect(yield* entries).toEqual(before)
      expect(yield* landed).toEqual(counted)
    }),
  )

  live("puts an answer in its place in time, not over what was said after it", () =>
    Effect.gen(function* () {
      const vault = `0x${"ab".repeat(20)}`
      const today = new Date(started).toISOString().slice(0, 10)
      const said = { day: "date", value: 1 }
      const server = yield* scriptedServer(({ url }, response) => {
        if (url.startsWith("/tokenized_vault?")) {
          return json(response, url.endsWith("active") ? [{ address: vault, chain: 1 }] : [])
        }
        // What is older can't be had.
        if (url.includes("startDate=2015")) return json(response, { detail: "broken" }, 500)
        const protocols = { Aave: said.value, Morpho: 7, ...(said.value === 2 ? { New: 3 } : {}) }
        return json(response, { points: [{ [said.day]: today, protocols }] })
      })
      const dataDir = yield* temporaryFolder
      const run = (day: string, value: number) => {
        Object.assign(said, { day, value })
        return runOnce(server.url, dataDir, {
          pipelines: ["allocation_history"],
          api: { retryBudgetSeconds: 0.1 },
        })
      }
      yield* run("date", 1)
      yield* run("measured_on", 2)
      yield* run("date", 1)
      const current = query(
        dataDir,
        "select protocol, value from core.allocation_history order by protocol",
      )
      const expected = [
        { protocol: "Aave", value: 1 },
        { protocol: "Morpho", value: 7 },
      ]
      expect(yield* current).toEqual(expected)
      // The third run has closed the entries of the second.
      yield* change(dataDir, "update ops.quarantine set closed_at = null", "checkpoint")
      // What was said after it made no row, and is needed all the same.
      yield* prune({ dataDir, olderThanDays: 0, dryRun: false })
      const timeFields = ["measured_on", ...defaultTimeFields]
      const loaded = yield* replayQuarantine(replayOptions(dataDir, timeFields))
      // The answer of today, and that of the days before it.
      expect(loaded).toMatchObject({ closed: 2, stillBroken: [] })
      expect(yield* current).toEqual(expected)
      // What the answer said is known to have been said.
      const versions = `select protocol, value, _superseded_at > _updated_at as later
        from core.allocation_history_versions order by all`
      expect(yield* query(dataDir, versions)).toEqual([
        { protocol: "Aave", value: 1, later: true },
        { protocol: "Aave", value: 2, later: true },
        { protocol: "New", value: 3, later: true },
      ])
      const again = yield* replayed(dataDir, timeFields)
      expect(again.tables.filter(({ isSame }) => !isSame)).toEqual([])
    }),
  )

  it.live("ends nothing by an answer that turns out to be empty, as a run would not either", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({
        vaults: 1,
        days: 5,
        subaccounts: 6,
        serverCaches: false,
      })
      const dataDir = yield* temporaryFolder
      const only = { pipelines: ["otc_positions"], api }
      yield* runOnce(simulator.url, dataDir, only)
      simulator.patch({ faults: [{ kind: "empty", match: "/otc/position" }] })
      yield* runOnce(simulator.url, dataDir, only)
      const current = query(
        dataDir,
        "select count(*)::integer as n from core.otc_positions where is_current",
      )
      const expected = yield* current
      expect(Number(expected[0]?.["n"])).toBeGreaterThan(0)
      // As if the second answer had broken the contract of an earlier version.
      yield* change(
        dataDir,
        `insert into ops.quarantine
           (response_id, endpoint, pipeline, entity, "window", json_path, detail, run_id, quarantined_at)
         select response_id, endpoint, pipeline, entity, "window", '$', 'x', run_id, received_at
         from raw.responses where pipeline = 'otc_positions' order by received_at desc limit 1`,
        `update raw.responses set is_landed = false, is_suspicious = null
         where response_id in (select response_id from ops.quarantine)`,
      )
      const loaded = yield* replayQuarantine(replayOptions(dataDir))
      expect(loaded).toMatchObject({ closed: 1, rows: 0, stillBroken: [] })
      expect(yield* current).toEqual(expected)
      const again = yield* replayed(dataDir)
      expect(again.tables.filter(({ isSame }) => !isSame)).toEqual([])
    }),
  )
})
