// A page that can't be stored in the middle of a series whose pages are committed together: none after it is committed
// before it is known what becomes of it.
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { folderStore } from "../../../../src/archive/folderStore.ts"
import { readWholeFrames } from "../../../../src/archive/readFrames.ts"
import { Commits } from "../../../../src/archive/segments.ts"
import { expectReplays } from "../../../support/replays.ts"
import { simulated } from "../../../support/simulated.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"
import { change, queries, query, runOnce } from "../../../support/warehouseRun.ts"
import { readPages } from "../pages.ts"

describe("a page of a series by date that the warehouse refuses", () => {
  it.live("is a gap: the pages after it land in the same run, and the next run fills it", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({ now: "2026-06-01T12:00:00Z", days: 300, vaults: 2 })
      const dataDir = yield* temporaryFolder
      const pipelines = ["ratio_history"]
      yield* runOnce(simulator.url, dataDir, { pipelines: ["vaults"] })
      const [vault, other] = simulator.truth.vaults
      const broken = vault?.address.toLowerCase() ?? ""
      // Stands for values of one page that only the database finds out about.
      yield* change(
        dataDir,
        `create unique index one on core.ratio_history ((case when vault_address = '${broken}'
           and observed_at::date in ('2026-02-10', '2026-02-11') then observed_at::date end))`,
        "checkpoint",
      )
      const first = yield* runOnce(simulator.url, dataDir, { pipelines })
      expect(first.summary.outcome).toBe("partial")
      const outcomes = `select entity = '${broken}' as is_broken, outcome, count(*)::integer as n
        from ops.tasks where pipeline = 'ratio_history' and outcome in ('quarantined', 'failed')
        group by all`
      const stored = `select vault_address = '${broken}' as is_broken, count(*)::integer as n
        from core.ratio_history group by all order by all`
      const gap = `select covers_from <= '2026-02-10' and covers_to >= '2026-02-11' as is_there,
          (select count(*)::integer from ops.tasks l where l.entity = t.entity and l.outcome = 'loaded'
             and l.covers_to <= t.covers_from) as older,
          (select count(*)::integer from ops.gaps g where g.entity = t.entity and g.state = 'open'
             and g.from_at::date = t.covers_from and g.to_at::date = t.covers_to) as gaps,
          (select count(*)::integer from core.ratio_history r where r.vault_address = t.entity
             and r.observed_at::date between t.covers_from and t.covers_to) as n,
          24 * (covers_to - covers_from + 1)::integer as missing
        from ops.tasks t where outcome = 'quarantined'`
      const [failed, found, lacking] = yield* queries(dataDir, [outcomes, stored, gap])
      expect(failed).toEqual([{ is_broken: true, outcome: "quarantined", n: 1 }])
      expect(lacking).toMatchObject([{ is_there: true, gaps: 1, n: 0 }])
      const { older, missing } = lacking?.[0] ?? {}
      expect(Number(older)).toBeGreaterThan(2)
      expect(found).toEqual([
        { is_broken: false, n: other?.ratio.n },
        { is_broken: true, n: (vault?.ratio.n ?? 0) - Number(missing) },
      ])
      yield* change(dataDir, "drop index core.one", "checkpoint")
      const again = yield* runOnce(simulator.url, dataDir, { pipelines })
      expect(again.summary.outcome).toBe("complete")
      expect(again.summary.rowsInserted).toBe(missing)
      expect(yield* query(dataDir, stored)).toEqual([
        { is_broken: false, n: other?.ratio.n },
        { is_broken: true, n: vault?.ratio.n },
      ])
      yield* expectReplays(dataDir)
    }),
  )
})

describe("a response for a gap that stops short, and that the warehouse refuses", () => {
  it.live("stays a gap though the rest of its days is read", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({
        now: "2026-06-01T12:00:00Z",
        days: 60,
        vaults: 1,
        ratioCap: 100,
      })
      const dataDir = yield* temporaryFolder
      const pipelines = ["ratio_history"]
      yield* runOnce(simulator.url, dataDir, { pipelines: ["vaults", ...pipelines] })
      yield* change(
        dataDir,
        "delete from core.ratio_history where observed_at::date between '2026-05-01' and '2026-05-10'",
        `insert into ops.gaps (pipeline, entity, from_at, to_at, reason, state, detail, run_id, updated_at)
           select pipeline, entity, '2026-05-01', '2026-05-10 23:59:59.999999', 'failed', 'open', '', '', '2026-06-01'
           from ops.cursors where pipeline = 'ratio_history'`,
        // Its newest hundred hours go back to May 6.
        `create unique index one on core.ratio_history ((case when observed_at::date = '2026-05-09' then 1 end))`,
        "checkpoint",
      )
      expect((yield* runOnce(simulator.url, dataDir, { pipelines })).summary.outcome).toBe(
        "partial",
      )
      const gaps =
        "select from_at::date::varchar as from_day, to_at::date::varchar as to_day from ops.gaps where state = 'open'"
      const stored = "select count(*)::integer as n from core.ratio_history"
      const all = simulator.truth.vaults[0]?.ratio.n ?? 0
      expect(yield* queries(dataDir, [gaps, stored])).toEqual([
        [{ from_day: "2026-05-07", to_day: "2026-05-10" }],
        [{ n: all - 4 * 24 }],
      ])
      yield* change(dataDir, "drop index core.one", "checkpoint")
      expect((yield* runOnce(simulator.url, dataDir, { pipelines })).summary.outcome).toBe(
        "complete",
      )
      expect(yield* queries(dataDir, [gaps, stored])).toEqual([[], [{ n: all }]])
    }),
  )
})

describe("a response of a series with a cursor of its own that the warehouse refuses", () => {
  it.live("is no gap, which nothing would close: the next run reads it again", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({ now: "2026-06-01T12:00:00Z", days: 60, vaults: 1 })
      const dataDir = yield* temporaryFolder
      const pipelines = ["apy_history"]
      const run = () => runOnce(simulator.url, dataDir, { pipelines: ["vaults", ...pipelines] })
      yield* run()
      simulator.patch({ now: "2026-06-04T12:00:00Z" })
      yield* change(
        dataDir,
        `create unique index one on core.apy_history
           ((case when is_smoothed and date in ('2026-06-02', '2026-06-03') then 1 end))`,
        "checkpoint",
      )
      const found = [
        "select count(*)::integer as n from ops.gaps where state = 'open'",
        "select count(*)::integer as n from ops.quarantine where closed_at is null",
        `select is_smoothed, max(date)::varchar as newest from core.apy_history group by all order by all`,
      ]
      const newest = (unsmoothed: string, smoothed: string) => [
        { is_smoothed: false, newest: unsmoothed },
        { is_smoothed: true, newest: smoothed },
      ]
      expect((yield* run()).summary.outcome).toBe("partial")
      expect(yield* queries(dataDir, found)).toEqual([
        [{ n: 0 }],
        [{ n: 1 }],
        newest("2026-06-04", "2026-06-01"),
      ])
      yield* change(dataDir, "drop index core.one", "checkpoint")
      expect((yield* run()).summary.outcome).toBe("complete")
      expect(yield* queries(dataDir, found)).toEqual([
        [{ n: 0 }],
        [{ n: 0 }],
        newest("2026-06-04", "2026-06-04"),
      ])
    }),
  )
})

describe("a page that no gap can stand for", () => {
  it.live("keeps the cursor before it: those after it land, and the next run reads it again", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const runId = "20260601T000000000Z-000000"
      const { ids, outcomes } = yield* readPages(dataDir, runId, { impossible: 3 })
      expect(outcomes).toEqual({ loaded: 5, quarantined: 1 })
      const tables = [
        `select "window" from ops.tasks where outcome = 'quarantined'`,
        `select value from core.readings order by all`,
        `select cursor::varchar as cursor from ops.cursors`,
        `select count(*)::integer as n from ops.quarantine`,
        `select json_path from ops.schema_drift`,
      ]
      expect(yield* queries(dataDir, tables)).toEqual([
        [{ window: "3" }],
        [1, 2, 4, 5, 6].map((value) => ({ value })),
        [{ cursor: "2" }],
        [{ n: 1 }],
        // Only the first page with the new field has a note of it.
        [{ json_path: "$.new" }],
      ])
      const commits = new Commits()
      yield* Effect.promise(async () => {
        const store = folderStore(join(dataDir, "raw"))
        for await (const frame of readWholeFrames(store, `${runId}.ndjson.zst`)) commits.add(frame)
      })
      const landed = ids.map((id) => commits.markerOf(id)?.landed.includes(id))
      expect(landed.slice(1)).toEqual([true, true, false, true, true, true])

      const next = yield* readPages(dataDir, "20260602T000000000Z-000000")
      expect(next.outcomes).toEqual({ loaded: 1, unchanged: 3 })
      expect((yield* queries(dataDir, tables)).slice(1, 3)).toEqual([
        [1, 2, 3, 4, 5, 6].map((value) => ({ value })),
        [{ cursor: "6" }],
      ])
    }),
  )
})

describe("a page of a log that the warehouse refuses in every run", () => {
  it.live(
    "stays in quarantine, and does not keep later runs from going on from where the log ended",
    () =>
      Effect.gen(function* () {
        const simulator = yield* simulated({
          now: "2026-06-01T12:00:00Z",
          start: "2024-06-01T00:00:00Z",
          vaults: 1,
        })
        const dataDir = yield* temporaryFolder
        const run = (full = false) =>
          runOnce(simulator.url, dataDir, {
            pipelines: ["vaults", "audit_log"],
            settings: { full },
          })
        const requests = (ran: Effect.Success<ReturnType<typeof run>>) =>
          ran.summary.pipelines.find(({ name }) => name === "audit_log")?.requests ?? 0
        yield* run()
        const everything = yield* query(dataDir, "select count(*)::int as n from core.audit_log")
        yield* change(
          dataDir,
          "delete from core.audit_log",
          "delete from ops.cursors where pipeline = 'audit_log'",
          // Refuses a page of the first half of the log.
          `create unique index one on core.audit_log
           ((case when occurred_at < '2025-01-01' then 1 end))`,
          "checkpoint",
        )
        const first = yield* run()
        expect(first.summary.outcome).toBe("partial")
        expect(requests(first)).toBeGreaterThan(2)
        const open = "select 1 from ops.quarantine where closed_at is null"
        const refused = (yield* query(dataDir, open)).length
        expect(refused).toBeGreaterThan(0)
        for (const _ of [1, 2]) {
          const next = yield* run()
          expect([next.summary.outcome, requests(next)]).toEqual(["complete", 1])
          expect(yield* query(dataDir, open)).toHaveLength(refused)
        }
        yield* change(dataDir, "drop index core.one", "checkpoint")
        expect((yield* run(true)).summary.outcome).toBe("complete")
        expect(
          yield* queries(dataDir, [open, "select count(*)::int as n from core.audit_log"]),
        ).toEqual([[], everything])
      }),
  )
})

describe("a page that fails while one behind it is refused", () => {
  it.live("leaves the cursor before it, though a gap stands for the one behind it", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const runId = "20260601T000000000Z-000000"
      const faults = { failing: 2, impossible: 3, haveDays: true }
      expect(yield* Effect.flip(readPages(dataDir, runId, faults))).toMatchObject({
        _tag: "LoadError",
      })
      const tables = [
        `select value from core.readings order by all`,
        `select cursor::varchar as cursor from ops.cursors`,
      ]
      expect(yield* queries(dataDir, tables)).toEqual([[{ value: 1 }], [{ cursor: "1" }]])
      yield* readPages(dataDir, "20260602T000000000Z-000000", { haveDays: true })
      expect(yield* queries(dataDir, tables)).toEqual([
        [1, 2, 3, 4, 5, 6].map((value) => ({ value })),
        [{ cursor: "6" }],
      ])
    }),
  )
})
