// The archive against the tables it made: replayed, replayed without a warehouse, pruned, and out of quarantine.
import { readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { zstdCompressSync } from "node:zlib"
import { describe, expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { defaultTimeFields } from "../../src/domain/timeFields.ts"
import { allColumns, type Table } from "../../src/domain/table.ts"
import { readSegment } from "../../src/extract/archiveSegments.ts"
import { pipelines } from "../../src/pipelines/catalog.ts"
import { compact } from "../../src/pipelines/archive/compact.ts"
import { prune } from "../../src/pipelines/archive/prune.ts"
import { replay } from "../../src/pipelines/archive/replay.ts"
import { replayQuarantine } from "../../src/pipelines/archive/replayQuarantine.ts"
import { verify } from "../../src/pipelines/archive/verify.ts"
import { json, scriptedServer } from "../support/scriptedServer.ts"
import { asAdmin, simulated } from "../support/simulated.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { change, query, runOnce } from "../support/warehouseRun.ts"

const options = (dataDir: string) => ({
  dataDir,
  timeFields: defaultTimeFields,
  publish: undefined,
  onResponse: () => undefined,
})

const api = asAdmin

/** A warehouse of three runs, between which the service restated its history. */
const lived = Effect.gen(function* () {
  const simulator = yield* simulated({
    vaults: 6,
    days: 60,
    subaccounts: 5,
    now: "2026-06-01T00:00:00Z",
    start: "2026-04-01T00:00:00Z",
  })
  const dataDir = yield* temporaryFolder
  yield* runOnce(simulator.url, dataDir, { api })
  simulator.patch({ now: "2026-06-01T06:00:00Z", revision: 1 })
  yield* runOnce(simulator.url, dataDir, { api })
  simulator.patch({ now: "2026-06-02T06:00:00Z" })
  yield* runOnce(simulator.url, dataDir, { api })
  return { simulator, dataDir }
})

const replayedTables = [...new Set(pipelines.flatMap(({ tables }) => tables))]

const columnsOf = (table: Table): string =>
  allColumns(table)
    .map(({ name }) => name)
    .join(", ")

/** Every stored column of every table, as one number a table. */
const content = (dataDir: string) =>
  query(
    dataDir,
    replayedTables
      .map(
        (table) =>
          `select '${table.name}' as name, count(*) as rows, sum(hash(t))::varchar as content
           from (select ${columnsOf(table)} from core.${table.name}) t`,
      )
      .join(" union all "),
  )

describe("replay", () => {
  it.live("makes the same rows to the last bit, and none when they are there", () =>
    Effect.gen(function* () {
      const { simulator, dataDir } = yield* lived
      const before = yield* content(dataDir)
      const versions = yield* query(
        dataDir,
        "select count(*) as n from core.ratio_history_versions",
      )
      expect(Number(versions[0]?.["n"])).toBeGreaterThan(0)
      const requests = simulator.requests().counts
      const untouched = yield* replay(options(dataDir))
      expect(untouched.tables.filter(({ isSame }) => !isSame)).toEqual([])
      expect(untouched.responses).toBeGreaterThan(20)

      yield* change(
        dataDir,
        "delete from core.apy_history",
        "update core.ratio_history set actual_tvl = 0 where vault_address = (select min(vault_address) from core.ratio_history)",
        "delete from core.vaults",
      )
      const rebuilt = yield* replay(options(dataDir))
      const differed = rebuilt.tables.filter(({ isSame }) => !isSame).map(({ table }) => table)
      expect(differed.toSorted()).toEqual(["core.apy_history", "core.ratio_history", "core.vaults"])
      expect(yield* content(dataDir)).toEqual(before)
      expect(simulator.requests().counts).toEqual(requests)
    }),
  )

  it.live("makes them from the archive alone where the warehouse is gone", () =>
    Effect.gen(function* () {
      const { dataDir } = yield* lived
      const before = yield* content(dataDir)
      rmSync(join(dataDir, "vaulthouse.duckdb"))
      rmSync(join(dataDir, "vaulthouse.duckdb.wal"), { force: true })
      yield* replay(options(dataDir))
      expect(yield* content(dataDir)).toEqual(before)
    }),
  )

  it.live("refuses where it would lose rows, and changes nothing", () =>
    Effect.gen(function* () {
      const { dataDir } = yield* lived
      const before = yield* content(dataDir)
      yield* change(dataDir, "delete from raw.responses where endpoint = 'unrealized_pnl'")
      const error = yield* Effect.flip(replay(options(dataDir)))
      expect(error.message).toContain("core.pnl_history come from responses it no longer holds")
      expect(yield* content(dataDir)).toEqual(before)
    }),
  )

  it.live("says which body of the archive was changed", () =>
    Effect.gen(function* () {
      const { dataDir } = yield* lived
      const raw = join(dataDir, "raw")
      const [segment = ""] = readdirSync(raw).toSorted()
      yield* Effect.promise(async () => {
        const { open } = await import("node:fs/promises")
        const file = await open(join(raw, segment), "r+")
        await file.write(Buffer.from([255, 0, 255, 0]), 0, 4, 400)
        await file.close()
      })
      const error = yield* Effect.flip(replay(options(dataDir)))
      expect(error.message).toContain(segment)
      expect(error.message).toContain("damaged")
      expect(yield* verify(dataDir)).toContainEqual(
        expect.objectContaining({ kind: "unreadable", path: `raw/${segment}` }),
      )
    }),
  )
})

describe("a segment of the first version", () => {
  it.live("is read, though it does not say what was asked", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const body = '{"amount":12345678901234567890}'
      const head = '{"response_id":"r","endpoint":"e","method":"GET","url":"u","requestBody":null'
      const line = `${head},"status":200,"receivedAt":"2026-06-01T00:00:00.000Z","body":${body}}\n`
      writeFileSync(join(folder, "run.ndjson.zst"), zstdCompressSync(Buffer.from(line)))
      const lines = yield* Effect.promise(async () => {
        const read: Array<unknown> = []
        for await (const frame of readSegment(folder, "run.ndjson.zst")) read.push(...frame.lines)
        return read
      })
      expect(lines).toMatchObject([
        { responseId: "r", pipeline: null, body, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      ])
    }),
  )
})

describe("prune", () => {
  it.live("drops only what no row refers to, and a replay still makes every row", () =>
    Effect.gen(function* () {
      const { dataDir } = yield* lived
      const before = yield* content(dataDir)
      const responses = Effect.map(
        query(dataDir, "select count(*) as n from raw.responses"),
        ([row]) => Number(row?.["n"]),
      )
      const all = yield* responses
      const planned = yield* prune({ dataDir, olderThanDays: 0, dryRun: true })
      expect(planned.dropped).toBeGreaterThan(0)
      expect(yield* responses).toBe(all)
      const bytes = (folder: string) =>
        readdirSync(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0)
      const size = bytes(join(dataDir, "raw"))
      const done = yield* prune({ dataDir, olderThanDays: 0, dryRun: false })
      expect(done.dropped).toBe(planned.dropped)
      expect(yield* responses).toBe(all - done.dropped)
      expect(bytes(join(dataDir, "raw"))).toBeLessThan(size)
      const again = yield* replay(options(dataDir))
      expect(again.tables.filter(({ isSame }) => !isSame)).toEqual([])
      rmSync(join(dataDir, "vaulthouse.duckdb"))
      yield* replay(options(dataDir))
      expect(yield* content(dataDir)).toEqual(before)
    }),
  )

  it.live("drops nothing that is young", () =>
    Effect.gen(function* () {
      const { dataDir } = yield* lived
      const summary = yield* prune({ dataDir, olderThanDays: 1, dryRun: false })
      expect(summary).toMatchObject({ dropped: 0, segmentsRemoved: 0, segmentsRewritten: 0 })
    }),
  )
})

describe("compact", () => {
  /** As if asked when the months of the runs are over. */
  const later = <A, E, R>(work: Effect.Effect<A, E, R>) =>
    Effect.clockWith((clock) =>
      Effect.provideService(work, Clock.Clock, {
        currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + 40 * 86_400_000,
        currentTimeMillis: Effect.map(clock.currentTimeMillis, (now) => now + 40 * 86_400_000),
        currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
        currentTimeNanos: clock.currentTimeNanos,
        monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
        monotonicTimeNanos: clock.monotonicTimeNanos,
        sleep: (duration) => clock.sleep(duration),
      }),
    )

  it.live("joins the runs of a month that is over, and nothing is missing", () =>
    Effect.gen(function* () {
      const { dataDir } = yield* lived
      const before = yield* content(dataDir)
      expect(yield* compact(dataDir)).toMatchObject({ segmentsBefore: 3, segmentsAfter: 3 })
      const joined = yield* later(compact(dataDir))
      expect(joined).toMatchObject({ segmentsBefore: 3, segmentsAfter: 1 })
      expect(joined.bytesAfter).toBeLessThan(joined.bytesBefore)
      expect(yield* later(compact(dataDir))).toMatchObject({ segmentsBefore: 1, segmentsAfter: 1 })
      const again = yield* replay(options(dataDir))
      expect(again.tables.filter(({ isSame }) => !isSame)).toEqual([])
      yield* prune({ dataDir, olderThanDays: 0, dryRun: false })
      rmSync(join(dataDir, "vaulthouse.duckdb"))
      yield* replay(options(dataDir))
      expect(yield* content(dataDir)).toEqual(before)
    }),
  )
})

describe("a window that was broken for a while", () => {
  it.live("is one entry in quarantine, asked for once a run, and replayed as it was", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({ vaults: 1, days: 30, now: "2026-06-01T00:00:00Z" })
      const dataDir = yield* temporaryFolder
      const asking = { pipelines: ["ratio_history"] }
      yield* runOnce(simulator.url, dataDir, asking)
      const asked = () =>
        Object.entries(simulator.requests().counts)
          .filter(([name]) => name.includes("unrealized_pnl"))
          .reduce((sum, [, count]) => sum + count, 0)
      simulator.patch({
        revision: 1,
        faults: [{ kind: "contract-break", match: "fields=ratio" }],
      })
      for (const _ of [1, 2, 3]) {
        const before = asked()
        yield* runOnce(simulator.url, dataDir, asking)
        expect(asked() - before).toBe(1)
      }
      expect(yield* query(dataDir, "select endpoint from ops.quarantine")).toHaveLength(1)
      simulator.patch({ faults: [], revision: 2 })
      const before = asked()
      const { summary } = yield* runOnce(simulator.url, dataDir, asking)
      expect(summary.outcome).toBe("complete")
      expect(asked() - before).toBe(1)
      const open = "select * from ops.quarantine where closed_at is null"
      expect(yield* query(dataDir, open)).toEqual([])
      const again = yield* replay(options(dataDir))
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
      const open = () =>
        query(dataDir, "select pipeline from ops.quarantine where closed_at is null order by 1")
      expect(yield* open()).toEqual([{ pipeline: "pnl_history" }, { pipeline: "ratio_history" }])
      const still = yield* replayQuarantine(options(dataDir))
      expect(still).toMatchObject({ closed: 0, rows: 0 })
      expect(still.stillBroken[0]?.detail).toContain("measured_on")
      const requests = simulator.requests().counts
      const timeFields = ["measured_on", ...defaultTimeFields]
      const loaded = yield* replayQuarantine({ ...options(dataDir), timeFields })
      expect(loaded).toMatchObject({ closed: 2, stillBroken: [] })
      expect(simulator.requests().counts).toEqual(requests)
      expect(yield* open()).toEqual([])
      const [rows] = yield* query(dataDir, "select count(*) as n from core.pnl_history")
      expect(loaded.rows).toBeGreaterThan(Number(rows?.["n"]))
      // What was loaded belongs to the archive's replay from now on.
      const again = yield* replay({ ...options(dataDir), timeFields })
      expect(again.tables.filter(({ isSame }) => !isSame)).toEqual([])
      const quarantined = yield* query(
        dataDir,
        "select count(*) as n from ops.gaps where state = 'open' and reason = 'quarantined'",
      )
      expect(Number(quarantined[0]?.["n"])).toBe(0)
    }),
  )

  it.live("puts an answer in its place in time, not over what was said after it", () =>
    Effect.gen(function* () {
      const vault = `0x${"ab".repeat(20)}`
      const today = new Date().toISOString().slice(0, 10)
      const said = { day: "date", value: 1 }
      const server = yield* scriptedServer(({ url }, response) => {
        if (url.startsWith("/tokenized_vault?")) {
          return json(response, url.endsWith("active") ? [{ address: vault, chain: 1 }] : [])
        }
        // What is older can't be had: a task of every run fails, so that no later run settles the entry.
        if (!url.includes("startDate")) return json(response, { detail: "broken" }, 500)
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
      const told = [
        { protocol: "Aave", value: 1 },
        { protocol: "Morpho", value: 7 },
      ]
      expect(yield* current).toEqual(told)
      // What was said after it made no row, and is needed all the same.
      yield* prune({ dataDir, olderThanDays: 0, dryRun: false })
      const timeFields = ["measured_on", ...defaultTimeFields]
      const loaded = yield* replayQuarantine({ ...options(dataDir), timeFields })
      // The answer of today, and that of the days before it.
      expect(loaded).toMatchObject({ closed: 2, stillBroken: [] })
      expect(yield* current).toEqual(told)
      // What the answer said is known to have been said.
      const versions = `select protocol, value, _superseded_at > _updated_at as later
        from core.allocation_history_versions order by all`
      expect(yield* query(dataDir, versions)).toEqual([
        { protocol: "Aave", value: 1, later: true },
        { protocol: "Aave", value: 2, later: true },
        { protocol: "New", value: 3, later: true },
      ])
      const again = yield* replay({ ...options(dataDir), timeFields })
      expect(again.tables.filter(({ isSame }) => !isSame)).toEqual([])
    }),
  )

  it.live("ends nothing by an answer that turns out to be empty, as a run would not either", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({ vaults: 1, subaccounts: 6, serverCaches: false })
      const dataDir = yield* temporaryFolder
      const asking = { pipelines: ["otc_positions"], api }
      yield* runOnce(simulator.url, dataDir, asking)
      simulator.patch({ faults: [{ kind: "empty", match: "/otc/position" }] })
      yield* runOnce(simulator.url, dataDir, asking)
      const current = query(
        dataDir,
        "select count(*)::integer as n from core.otc_positions where is_current",
      )
      const told = yield* current
      expect(Number(told[0]?.["n"])).toBeGreaterThan(0)
      // As if the second answer had broken the contract of an earlier version.
      yield* change(
        dataDir,
        `insert into ops.quarantine
           (response_id, endpoint, pipeline, entity, "window", json_path, detail, run_id, quarantined_at)
         select response_id, endpoint, pipeline, entity, "window", '$', 'x', run_id, received_at
         from raw.responses where pipeline = 'otc_positions' order by received_at desc limit 1`,
        `update raw.responses set is_landed = false, is_doubted = null
         where response_id in (select response_id from ops.quarantine)`,
      )
      const loaded = yield* replayQuarantine(options(dataDir))
      expect(loaded).toMatchObject({ closed: 1, rows: 0, stillBroken: [] })
      expect(yield* current).toEqual(told)
      const again = yield* replay(options(dataDir))
      expect(again.tables.filter(({ isSame }) => !isSame)).toEqual([])
    }),
  )
})
