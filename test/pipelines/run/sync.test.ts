// The main job, whole: HTTP from the simulator, through every stage, into a real DuckDB file.
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { defaultWire } from "../../../src/extract/request.ts"
import { defaultRunSettings } from "../../../src/pipelines/model/runSettings.ts"
import type { Simulator } from "../../../simulator/index.ts"
import { asAdmin, expectTruth, fingerprint, simulated } from "../../support/simulated.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { query, runOnce } from "../../support/warehouseRun.ts"

// In the past of every clock that runs this, so that histories can grow without waiting.
const now = "2026-06-01T12:00:00Z"
/** What `expectTruth` compares; the other pipelines are read where the test is about them. */
const pipelines = ["ratio_history", "pnl_history", "apy_history", "allocation_history"]
const ascending = (a: number, b: number) => a - b
// More than the 1000 points of a page.
const days = 50

/** All ratios of these vaults are stored. */
const expectRatios = Effect.fnUntraced(function* (
  vaults: Simulator["truth"]["vaults"],
  dataDir: string,
) {
  const rows = yield* query(
    dataDir,
    "select lower(vault_address) as address, count(*)::integer as n from core.ratio_history group by all",
  )
  const stored = new Map(rows.map(({ address, n }) => [address, n]))
  expect(vaults.length).toBeGreaterThan(1)
  for (const { address, ratio } of vaults)
    expect(stored.get(address.toLowerCase()) ?? 0, address).toBe(ratio.n)
})

describe("sync", () => {
  it.live("lands every history, and a second run changes nothing", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({ now, days, vaults: 4 })
      const dataDir = yield* temporaryFolder
      const publish = { parquet: { marts: false } }
      const first = yield* runOnce(simulator.url, dataDir, { publish })
      expect(first.summary).toMatchObject({ outcome: "complete", published: true })
      yield* expectTruth(simulator, dataDir)
      const before = yield* fingerprint(dataDir)
      const second = yield* runOnce(simulator.url, dataDir, { publish })
      expect(second.summary).toMatchObject({
        outcome: "complete",
        nothingNew: true,
        published: false,
      })
      expect(second.summary.requests).toBeLessThan(first.summary.requests)
      expect(yield* fingerprint(dataDir)).toEqual(before)
    }),
  )

  it.live("reads what came since, keeps what was revised, and finds what came late", () =>
    Effect.gen(function* () {
      // Fewer than 1000 snapshots: all of them stay within reach.
      const simulator = yield* simulated({ now, days: 35, vaults: 4 })
      const dataDir = yield* temporaryFolder
      yield* runOnce(simulator.url, dataDir, { pipelines })
      simulator.patch({ revision: 1 })
      const revised = yield* runOnce(simulator.url, dataDir, { pipelines })
      expect(revised.summary.rowsRevised).toBeGreaterThan(0)
      yield* expectTruth(simulator, dataDir)
      const [versions] = yield* query(
        dataDir,
        `select count(*) as n, count(*) filter (where v.actual_tvl is distinct from r.actual_tvl) as other
         from core.ratio_history_versions v join core.ratio_history r using (vault_address, observed_at)`,
      )
      expect(Number(versions?.["n"])).toBeGreaterThan(0)
      expect(versions?.["other"]).toBe(versions?.["n"])
      simulator.patch({ now: "2026-06-04T12:00:00Z" })
      yield* runOnce(simulator.url, dataDir, { pipelines })
      yield* expectTruth(simulator, dataDir)
    }),
  )

  it.live("reads another dialect of the same API", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({
        now,
        days: 50,
        vaults: 6,
        platformSegment: "acme",
        wireCase: "snake",
        wireNames: { vault: "vault_address" },
        timeField: "snapshot_datetime",
        pnlTimeField: "createdAt",
        timeFormat: "epoch-millis",
        seriesNames: { apyValues: "the_series" },
        vaultNames: { address: "vaultAddress", chain: "chain" },
        // As some services spell them: no EIP-55 checksum.
        addressCase: "mixed",
        wrapApyChart: true,
        addedFields: true,
        bigIntegers: true,
      })
      const dataDir = yield* temporaryFolder
      const { summary } = yield* runOnce(simulator.url, dataDir, {
        api: {
          wire: {
            ...defaultWire,
            platformSegment: "acme",
            case: "snake",
            names: { vault: "vault_address" },
          },
        },
        settings: { ...defaultRunSettings, fields: { "apy_history.apy": "the_series" } },
      })
      expect(summary.outcome).toBe("complete")
      yield* expectTruth(simulator, dataDir)
      const drift = yield* query(dataDir, "select distinct kind from ops.schema_drift")
      expect(drift).toEqual([{ kind: "unknown_field" }])
      const [kept] = yield* query(
        dataDir,
        "select count(*) filter (where extra is null) as without from core.ratio_history",
      )
      expect(Number(kept?.["without"])).toBe(0)
    }),
  )

  it.live("a broken response is quarantined, costs its own window, and is requested again", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({
        now,
        days,
        vaults: 4,
        faults: [{ kind: "contract-break", match: "fields=ratio", count: 1 }],
      })
      const dataDir = yield* temporaryFolder
      const broken = yield* runOnce(simulator.url, dataDir, { pipelines })
      expect(broken.summary.outcome).toBe("partial")
      const quarantine = yield* query(dataDir, "select json_path, detail from ops.quarantine")
      expect(quarantine).toHaveLength(1)
      const gaps = yield* query(
        dataDir,
        "select reason, state, entity, date_diff('day', from_at, to_at)::integer < 41 as is_window from ops.gaps",
      )
      const [{ entity } = {}] = gaps
      expect(gaps).toEqual([{ reason: "quarantined", state: "open", entity, is_window: true }])
      yield* expectRatios(
        simulator.truth.vaults.filter(({ address }) => address.toLowerCase() !== String(entity)),
        dataDir,
      )
      const mended = yield* runOnce(simulator.url, dataDir, { pipelines })
      expect(mended.summary.outcome).toBe("complete")
      yield* expectTruth(simulator, dataDir)
      expect(yield* query(dataDir, "select state from ops.gaps")).toEqual([{ state: "closed" }])
      expect(yield* query(dataDir, "select * from ops.quarantine where closed_at is null")).toEqual(
        [],
      )
    }),
  )

  it.live(
    "a series of which every response is broken is given up, not followed into the past",
    () =>
      Effect.gen(function* () {
        const simulator = yield* simulated({
          now,
          days: 3,
          vaults: 2,
          faults: [{ kind: "invalid-json", match: "fields=ratio" }],
        })
        const dataDir = yield* temporaryFolder
        const requests = () => simulator.requests().counts["GET /platform/unrealized_pnl 200"] ?? 0
        // A body that is no JSON may have been cut off: each window is tried three times.
        for (const most of [12, 36]) {
          const { summary } = yield* runOnce(simulator.url, dataDir, {
            pipelines: ["ratio_history"],
          })
          expect(summary.outcome).toBe("partial")
          expect(requests()).toBeLessThanOrEqual(most)
        }
        simulator.patch({ faults: [] })
        const { summary } = yield* runOnce(simulator.url, dataDir, { pipelines })
        expect(summary.outcome).toBe("complete")
        yield* expectTruth(simulator, dataDir)
      }),
  )

  it.live("one vault that fails leaves the others standing", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({ now, days: 40, vaults: 4 })
      const victim = simulator.truth.vaults.find(({ ratio }) => ratio.n > 100)
      simulator.patch({
        faults: [{ kind: "status", status: 418, match: `${victim?.address}&startDate=202` }],
      })
      const dataDir = yield* temporaryFolder
      const { summary } = yield* runOnce(simulator.url, dataDir, { pipelines })
      expect(summary.outcome).toBe("partial")
      const ratio = summary.pipelines.find(({ name }) => name === "ratio_history")
      expect(ratio?.firstErrors[0]).toContain(victim?.address)
      yield* expectRatios(
        simulator.truth.vaults.filter((vault) => vault !== victim),
        dataDir,
      )
      simulator.patch({ faults: [] })
      yield* runOnce(simulator.url, dataDir, { pipelines })
      yield* expectTruth(simulator, dataDir)
    }),
  )

  it.live("an empty response where there were rows deletes nothing", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({ now, days: 40, vaults: 4 })
      const dataDir = yield* temporaryFolder
      yield* runOnce(simulator.url, dataDir, { pipelines })
      const before = yield* fingerprint(dataDir)
      simulator.patch({ faults: [{ kind: "empty", pathPrefix: "/platform" }] })
      const { summary, events } = yield* runOnce(simulator.url, dataDir, { pipelines })
      expect(summary.outcome).toBe("complete")
      expect(events.some(({ kind }) => kind === "warning")).toBe(true)
      const [suspicious] = yield* query(
        dataDir,
        "select count(distinct pipeline) as n from ops.tasks where outcome = 'suspicious_empty' and pipeline like '%\\_history' escape '\\'",
      )
      expect(Number(suspicious?.["n"])).toBe(4)
      expect(yield* fingerprint(dataDir)).toEqual(before)
    }),
  )

  it.live("a wait longer than the budget defers the rest and keeps what landed", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({
        now,
        days: 40,
        vaults: 4,
        faults: [{ kind: "rate-limit", retryAfterSeconds: 3600, match: "fields=ratio" }],
      })
      const dataDir = yield* temporaryFolder
      const { summary } = yield* runOnce(simulator.url, dataDir, { pipelines })
      expect(summary.outcome).toBe("deferred")
      simulator.patch({ faults: [] })
      expect((yield* runOnce(simulator.url, dataDir, { pipelines })).summary.outcome).toBe(
        "complete",
      )
      yield* expectTruth(simulator, dataDir)
    }),
  )

  it.live("a series and a list that fail leave their neighbours standing, each on record", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({
        now,
        days: 40,
        vaults: 4,
        latencyMs: 20,
        faults: [{ kind: "status", status: 418, match: "applySmoothing=true" }],
      })
      const dataDir = yield* temporaryFolder
      yield* runOnce(simulator.url, dataDir, { pipelines })
      const smoothed = yield* query(
        dataDir,
        "select is_smoothed, count(*) > 0 as landed from core.apy_history group by all",
      )
      expect(smoothed).toEqual([{ is_smoothed: false, landed: true }])
      // Of each partition at least one response's latency; a window read ahead may add nothing of its own.
      const [quickest] = yield* query(
        dataDir,
        `select min(seconds) as seconds from
           (select sum(seconds) as seconds from ops.tasks where requests > 0
              group by pipeline, entity)`,
      )
      expect(Number(quickest?.["seconds"])).toBeGreaterThanOrEqual(0.02)
      simulator.patch({ faults: [{ kind: "status", status: 418, pathPrefix: "/tokenized_vault" }] })
      const { summary } = yield* runOnce(simulator.url, dataDir, { pipelines })
      const lists = yield* query(
        dataDir,
        `select "window" from ops.tasks where run_id = '${summary.runId}' and pipeline = 'vaults'
         and outcome = 'failed' order by all`,
      )
      expect(lists).toEqual([{ window: "active" }, { window: "closed" }])
    }),
  )

  it.live("what the service refuses is skipped with its reason, and the rest lands", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({
        now,
        days: 20,
        vaults: 3,
        faults: [{ kind: "status", status: 403, detail: "members only", match: "fields=ratio" }],
      })
      const dataDir = yield* temporaryFolder
      const only = { pipelines: ["pnl_history", "ratio_history"], api: asAdmin }
      const { summary } = yield* runOnce(simulator.url, dataDir, only)
      expect(summary.outcome).toBe("complete")
      const ratio = summary.pipelines.find(({ name }) => name === "ratio_history")
      expect(ratio?.skipped).toContain("members only")
      const [responses] = yield* query(
        dataDir,
        `select (select count(*) from raw.responses where status in (401, 403)) as kept,
           (select sum(requests) from ops.tasks where outcome = 'skipped') as requests,
           (select count(*) > 0 from core.pnl_history) as landed`,
      )
      expect(responses?.["kept"]).toBe(responses?.["requests"])
      expect(responses?.["landed"]).toBe(true)
    }),
  )

  it.live(
    "a refusal of what is public, without a key, fails its vault and is no refusal of the next",
    () =>
      Effect.gen(function* () {
        const simulator = yield* simulated({ now, days: 20, vaults: 6 })
        const dataDir = yield* temporaryFolder
        const only = { pipelines: ["vaults", "fees"] }
        yield* runOnce(simulator.url, dataDir, only)
        simulator.patch({ faults: [{ kind: "status", status: 403, match: "fees" }] })
        const { summary } = yield* runOnce(simulator.url, dataDir, only)
        expect(summary.outcome).toBe("partial")
        expect(summary.keyAccess).toBeUndefined()
        const [tasks] = yield* query(
          dataDir,
          `select count(*) filter (where outcome = 'failed') > 1 as failed,
           bool_or(outcome = 'skipped') as skipped
         from ops.tasks where pipeline = 'fees' and run_id = '${summary.runId}'`,
        )
        expect(tasks).toEqual({ failed: true, skipped: false })
      }),
  )

  it.live("a refusal without a key is one of the pipeline, not of each vault", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({
        now,
        days: 20,
        vaults: 6,
        faults: [{ kind: "status", status: 403, detail: "no key", match: "timelock-requests" }],
      })
      const dataDir = yield* temporaryFolder
      const only = ["timelock_requests"]
      const { summary } = yield* runOnce(simulator.url, dataDir, { pipelines: only })
      expect(summary.outcome).toBe("complete")
      const refused = yield* query(
        dataDir,
        "select sum(requests)::int as n from ops.tasks where outcome = 'skipped'",
      )
      expect(refused).toEqual([{ n: 1 }])
    }),
  )

  it.live.each<readonly [string, boolean]>([
    ["a run", false],
    ["a run that reads everything again", true],
  ])(
    "a hole in the PnL history that the service no longer serves is recorded for good by %s",
    ([, full]) =>
      Effect.gen(function* () {
        const simulator = yield* simulated({ now, days: 60, vaults: 3 })
        const dataDir = yield* temporaryFolder
        const only = { pipelines: ["pnl_history"] }
        yield* runOnce(simulator.url, dataDir, only)
        simulator.patch({ now: "2026-08-01T12:00:00Z" })
        const { events } = yield* runOnce(simulator.url, dataDir, { ...only, settings: { full } })
        const gaps = yield* query(
          dataDir,
          "select distinct reason, state from ops.gaps where pipeline = 'pnl_history'",
        )
        expect(gaps).toEqual([{ reason: "unreachable", state: "permanent" }])
        expect(events.some(({ kind }) => kind === "warning")).toBe(true)
      }),
  )

  it.live("APY before a run's start date is left to the next run without one", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({ days: 60, vaults: 3 })
      const dataDir = yield* temporaryFolder
      const run = (since?: number) =>
        runOnce(simulator.url, dataDir, { pipelines: ["apy_history"], settings: { since } })
      const daysOfVaults = () =>
        query(
          dataDir,
          `select vault_address, count(*)::integer as days from core.apy_history
           where is_smoothed group by all order by all`,
        )
      const isRequestedWhole = (vault: unknown) =>
        query(
          dataDir,
          `select bool_or(json_extract_string(inputs, '$.daysAgo') = '-1') as whole
           from raw.responses where inputs ilike '%${String(vault)}%'
             and run_id = (select run_id from ops.runs order by started_at desc limit 1)`,
        )
      yield* run(Math.floor(Date.now() / 86_400_000) - 20)
      const [some] = yield* daysOfVaults()
      yield* run()
      const whole = simulator.truth.vaults.map(({ apy }) => apy.smoothed.n).filter((n) => n > 0)
      const read = (yield* daysOfVaults()).map((row) => Number(row["days"]))
      expect(read.toSorted(ascending)).toEqual(whole.toSorted(ascending))
      expect(Number(some?.["days"])).toBeLessThan(Math.max(...whole))
      expect(yield* isRequestedWhole(some?.["vault_address"])).toMatchObject([{ whole: true }])
      yield* run()
      expect(yield* isRequestedWhole(some?.["vault_address"])).toMatchObject([{ whole: false }])
    }),
  )

  it.live("a service that has gone gets a few requests, not all of them", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({ now, days: 3 })
      const dataDir = yield* temporaryFolder
      const before = yield* runOnce(simulator.url, dataDir)
      const { summary } = yield* runOnce("http://127.0.0.1:9", dataDir)
      expect(summary.outcome).toBe("failed")
      const failed = summary.pipelines.reduce(
        (sum, { outcomes }) => sum + (outcomes.failed ?? 0),
        0,
      )
      expect(failed).toBeGreaterThan(50)
      expect(summary.requests).toBeLessThan(before.summary.requests / 4)
      expect(summary.requests).toBeLessThan(60)
    }),
  )

  it.live("reads the selected vaults and pipelines, and no others", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({ now, days: 40, vaults: 4 })
      const chosen = simulator.truth.vaults.find(({ ratio }) => ratio.n > 900)
      const dataDir = yield* temporaryFolder
      yield* runOnce(simulator.url, dataDir, {
        pipelines: ["ratio_history"],
        vaults: { include: [chosen?.address ?? ""], exclude: [] },
        settings: { since: 20_590 },
      })
      const [found] = yield* query(
        dataDir,
        `select count(distinct vault_address) as vaults, min(observed_at)::date::varchar as since,
           (select count(*) from core.pnl_history) as pnl from core.ratio_history`,
      )
      expect(found).toEqual({ vaults: "1", since: "2026-05-17", pnl: "0" })
    }),
  )
})
