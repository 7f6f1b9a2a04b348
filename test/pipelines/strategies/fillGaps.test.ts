// sync --fill-gaps: what is missing inside the known range is requested once more, in as few requests as possible.
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { MICROS_PER_DAY } from "../../../src/domain/values/time.ts"
import { missingSlotWindows } from "../../../src/pipelines/strategies/rereads.ts"
import { expectTruth, simulated } from "../../support/simulated.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { change, query, runOnce } from "../../support/warehouseRun.ts"

const series = ["ratio_history", "allocation_history", "apy_history", "pnl_history"]

const holes = (dataDir: string) =>
  query(
    dataDir,
    `select pipeline, entity, from_at::varchar as from_at, to_at::varchar as to_at, reason, state
     from ops.gaps where state <> 'closed' order by all`,
  )

describe("holeWindows", () => {
  const day = (at: number, missing: number, present: number) => ({
    day: at,
    present,
    missing: Array.from({ length: missing }, (_, slot) => at * MICROS_PER_DAY + slot),
  })
  const windows = (days: ReadonlyArray<ReturnType<typeof day>>, gaps: ReadonlyArray<number> = []) =>
    missingSlotWindows(
      { slotMicros: 1, days },
      gaps.map((at) => ({ fromAt: at * MICROS_PER_DAY, toAt: (at + 1) * MICROS_PER_DAY - 1 })),
      5,
    )

  it("joins neighbours, with open gaps among them, and no more than a window holds", () => {
    const days = [10, 12, 14, 15, 30].map((at) => day(at, 1, 23))
    expect(windows(days)).toEqual([
      { from: 10, to: 14 },
      { from: 14, to: 15 },
      { from: 30, to: 30 },
    ])
    expect(windows(days, [18, 40])).toEqual([
      { from: 10, to: 14 },
      { from: 14, to: 18 },
      { from: 30, to: 30 },
      { from: 40, to: 40 },
    ])
  })

  it("includes a known day next to days without a point", () => {
    const around = (from: number, to: number) => [
      day(from - 1, 0, 24),
      ...Array.from({ length: to - from + 1 }, (_, at) => day(from + at, 24, 0)),
      day(to + 1, 0, 24),
    ]
    expect(windows(around(10, 11))).toEqual([{ from: 9, to: 12 }])
    expect(windows(around(10, 13))).toEqual([{ from: 9, to: 13 }])
    expect(windows(around(10, 14))).toEqual([{ from: 10, to: 14 }])
    expect(windows(around(10, 15))).toEqual([
      { from: 10, to: 14 },
      { from: 15, to: 16 },
    ])
  })
})

describe("sync --fill-gaps", () => {
  it.live(
    "requests the missing slots of a series once more, and gives up those still missing",
    () =>
      Effect.gen(function* () {
        const simulator = yield* simulated({
          vaults: 2,
          days: 200,
          now: "2026-06-01T00:00:00Z",
          start: "2025-11-13T00:00:00Z",
        })
        const dataDir = yield* temporaryFolder
        const pipelines = ["ratio_history"]
        const run = (fillGaps: boolean) =>
          runOnce(simulator.url, dataDir, { pipelines, settings: { fillGaps } })
        const requests = ({ summary }: Effect.Success<ReturnType<typeof run>>) => summary.requests
        yield* run(false)
        const normal = requests(yield* run(false))
        // 53 hours in one window, 45 days in two.
        const filled = yield* run(true)
        expect(requests(filled) - normal).toBe(3)
        expect(filled.summary.outcome).toBe("complete")
        const gone = yield* holes(dataDir)
        expect(gone.map(({ state, reason }) => [state, reason])).toEqual(
          gone.map(() => ["permanent", "unreachable"]),
        )
        const hours = gone.reduce(
          (sum, { from_at: from, to_at: to }) =>
            sum +
            Math.round((Date.parse(`${String(to)}Z`) - Date.parse(`${String(from)}Z`)) / 3_600_000),
          0,
        )
        expect(hours).toBe(53 + 45 * 24)
        // Known now: neither this nor a normal run requests them again.
        expect(requests(yield* run(true))).toBe(normal)
        expect(requests(yield* run(false))).toBe(normal)
        expect(yield* holes(dataDir)).toEqual(gone)
      }),
  )

  it.live("fetches exactly what was lost, of every series, and leaves late hours to be late", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({
        vaults: 1,
        days: 25,
        now: "2026-06-01T00:00:00Z",
        start: "2026-05-07T00:00:00Z",
      })
      const dataDir = yield* temporaryFolder
      const run = (fillGaps: boolean) =>
        runOnce(simulator.url, dataDir, { pipelines: series, settings: { fillGaps } })
      yield* run(false)
      simulator.patch({ now: "2026-06-14T00:00:00Z" })
      yield* change(
        dataDir,
        "delete from core.ratio_history where observed_at between '2026-05-10 05:00:00' and '2026-05-12 04:00:00'",
        "delete from core.ratio_history where observed_at::date = '2026-05-20'",
        "delete from core.allocation_history where date in ('2026-05-10', '2026-05-21')",
        "delete from core.apy_history where date = '2026-05-10'",
        "delete from core.pnl_history where snapshot_at::date = '2026-05-25'",
      )
      yield* run(false)
      const normal = (yield* run(false)).summary.requests
      const filled = yield* run(true)
      // Ratio in one window, allocations in one; APY and PnL need no request of their own.
      expect(filled.summary.requests - normal).toBe(2)
      yield* expectTruth(simulator, dataDir)
      // Some of the last hours are not there yet: nothing is given up for that.
      const missing = yield* query(
        dataDir,
        `select count(*)::int > 0 as some from mart.completeness
         where series = 'ratio' and state = 'empty' and expected_at > '2026-06-12'`,
      )
      expect(missing).toEqual([{ some: true }])
      expect(yield* holes(dataDir)).toEqual([])
      expect((yield* run(true)).summary.requests).toBe(normal)
      simulator.patch({ now: "2026-06-16T00:00:00Z" })
      yield* run(false)
      yield* expectTruth(simulator, dataDir)
    }),
  )

  it.live("gives up no hour of PnL where the service has a snapshot a day", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({
        vaults: 1,
        days: 25,
        pnlEveryHours: 24,
        now: "2026-06-01T00:00:00Z",
      })
      const dataDir = yield* temporaryFolder
      const run = (fillGaps: boolean) =>
        runOnce(simulator.url, dataDir, { pipelines: series, settings: { fillGaps } })
      yield* run(false)
      const normal = (yield* run(false)).summary.requests
      expect((yield* run(true)).summary.requests).toBe(normal)
      yield* expectTruth(simulator, dataDir)
      expect(yield* holes(dataDir)).toEqual([])
      yield* change(dataDir, "delete from core.pnl_history where snapshot_at < '2026-05-25'")
      yield* run(true)
      yield* expectTruth(simulator, dataDir)
    }),
  )

  it.live("keeps the points where a response is empty", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({ vaults: 1, days: 60, now: "2026-06-01T00:00:00Z" })
      const dataDir = yield* temporaryFolder
      const run = (fillGaps: boolean) =>
        runOnce(simulator.url, dataDir, { pipelines: ["ratio_history"], settings: { fillGaps } })
      yield* run(false)
      yield* change(
        dataDir,
        "delete from core.ratio_history where observed_at::date = '2026-05-01'",
      )
      simulator.patch({
        faults: [{ kind: "empty", match: "startDate=2026-04-30&endDate=2026-05-02", count: 1 }],
      })
      const { summary } = yield* run(true)
      const ratio = summary.pipelines.find(({ name }) => name === "ratio_history")
      expect(ratio?.outcomes).toMatchObject({ suspicious_empty: 1 })
      expect(yield* holes(dataDir)).toEqual([])
      yield* run(true)
      expect(yield* holes(dataDir)).toEqual([])
      const lost = yield* query(
        dataDir,
        "select count(*)::int as n from core.ratio_history where observed_at::date = '2026-05-01'",
      )
      expect(lost).toEqual([{ n: 24 }])
    }),
  )

  it.live("requests open gaps together with missing slots, and closes those it has read", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({ vaults: 1, days: 100, now: "2026-06-01T00:00:00Z" })
      const dataDir = yield* temporaryFolder
      const run = (fillGaps: boolean) =>
        runOnce(simulator.url, dataDir, { pipelines: ["ratio_history"], settings: { fillGaps } })
      yield* run(false)
      yield* change(
        dataDir,
        "delete from core.ratio_history where observed_at::date between '2026-04-01' and '2026-04-04'",
        `insert into ops.gaps by name select 'ratio_history' as pipeline, vault_address as entity,
           '2026-04-03' as from_at, '2026-04-04 23:59:59.999999' as to_at, 'failed' as reason, 'open' as state,
           'by hand' as detail, 'r' as run_id, now()::timestamp as updated_at, vault_address
         from core.vaults where is_current`,
      )
      const filled = yield* run(true)
      const normal = (yield* run(false)).summary.requests
      expect(filled.summary.requests - normal).toBe(1)
      const gaps = yield* query(dataDir, "select state from ops.gaps")
      expect(gaps).toEqual([{ state: "closed" }])
      const [days] = yield* query(
        dataDir,
        "select count(*)::int as n from core.ratio_history where observed_at::date between '2026-04-01' and '2026-04-04'",
      )
      expect(days).toEqual({ n: 96 })
    }),
  )

  it.live("gives up nothing that a service with smaller responses was not sent a request for", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({
        vaults: 1,
        days: 60,
        now: "2026-06-01T00:00:00Z",
        // 41 days are 984 points.
        ratioCap: 500,
      })
      const dataDir = yield* temporaryFolder
      const run = (fillGaps: boolean) =>
        runOnce(simulator.url, dataDir, { pipelines: ["ratio_history"], settings: { fillGaps } })
      yield* run(false)
      // One window, the 500 newest points of which reach back to 04:00 of 8 May.
      yield* change(
        dataDir,
        `delete from core.ratio_history
         where observed_at between '2026-04-20 03:00:00' and '2026-04-20 09:00:00'
           or observed_at between '2026-05-08 00:00:00' and '2026-05-08 02:00:00'
           or observed_at::date in ('2026-04-27', '2026-05-28')`,
      )
      yield* run(true)
      expect(yield* holes(dataDir)).toEqual([])
      const [stored] = yield* query(dataDir, "select count(*)::int as n from core.ratio_history")
      expect(stored).toEqual({ n: simulator.truth.vaults[0]?.ratio.n })
    }),
  )

  for (const next of [{}, { full: true }]) {
    it.live(
      `reads what came since behind a hole it cannot read, which a run ${JSON.stringify(next)} closes`,
      () =>
        Effect.gen(function* () {
          const simulator = yield* simulated({ vaults: 1, days: 60, now: "2026-06-01T00:00:00Z" })
          const dataDir = yield* temporaryFolder
          const run = (settings: { readonly fillGaps?: true; readonly full?: boolean }) =>
            runOnce(simulator.url, dataDir, { pipelines: ["ratio_history"], settings })
          yield* run({})
          yield* change(
            dataDir,
            "delete from core.ratio_history where observed_at::date = '2026-05-01'",
          )
          simulator.patch({
            now: "2026-06-03T00:00:00Z",
            faults: [
              {
                kind: "contract-break",
                match: "startDate=2026-04-30&endDate=2026-05-02",
                count: 1,
              },
            ],
          })
          const { summary } = yield* run({ fillGaps: true })
          const ratio = summary.pipelines.find(({ name }) => name === "ratio_history")
          expect(ratio?.outcomes).toMatchObject({ quarantined: 1, loaded: 1 })
          expect(yield* holes(dataDir)).toMatchObject([
            { from_at: "2026-04-30 00:00:00", reason: "quarantined", state: "open" },
          ])
          yield* run(next)
          expect(yield* holes(dataDir)).toEqual([])
          const [stored] = yield* query(
            dataDir,
            "select count(*)::int as n from core.ratio_history",
          )
          expect(stored).toEqual({ n: simulator.truth.vaults[0]?.ratio.n })
        }),
    )
  }
})
