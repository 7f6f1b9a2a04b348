// What runs leave for mart.completeness and mart.freshness: the vault, series and days of each task. Each chain of an
// address and each APY series is complete, or filled, by itself.
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { fixedDay } from "../../support/movableClock.ts"
import { json, scriptedServer } from "../../support/servers/scriptedServer.ts"
import { simulated } from "../../support/simulated.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { change, query, runOnce } from "../../support/warehouseRun.ts"

const vault = `0x${"ab".repeat(20)}`
const dayMillis = 86_400_000
const { now, live } = fixedDay("2026-06-01T12:00:00Z")
const dayBefore = (days: number): string =>
  new Date(now - days * dayMillis).toISOString().slice(0, 10)

/** One address that is a vault on chain 1 and on chain 10, with allocations of each. */
const onTwoChains = Effect.gen(function* () {
  // By chain, the days before today that the service lacks.
  const absent = new Map<string, ReadonlyArray<number>>([
    ["1", [12]],
    ["10", [15]],
  ])
  const broken = new Set<string>()
  // Chains of which the vault is in no list.
  const unlisted = new Set<number>()
  const server = yield* scriptedServer(({ url }, response) => {
    const requested = new URL(url, "http://x")
    if (requested.pathname.endsWith("/tokenized_vault")) {
      const listed = [
        { address: vault, chain: 1, vault_name: "Alpha" },
        { address: vault, chain: 10, vault_name: "Beta" },
      ].filter(({ chain }) => !unlisted.has(chain))
      return json(response, requested.searchParams.get("status") === "active" ? listed : [])
    }
    const chain = requested.searchParams.get("chainId") ?? ""
    if (broken.has(chain)) return json(response, { points: "none" })
    const from = requested.searchParams.get("startDate") ?? ""
    const to = requested.searchParams.get("endDate") ?? "9"
    const points = Array.from({ length: 20 }, (_, at) => 20 - at)
      .filter((days) => !absent.get(chain)?.includes(days))
      .map((days) => ({ date: dayBefore(days), protocol: "Aave", value_usd: Number(chain) }))
    return json(response, { points: points.filter(({ date }) => date >= from && date <= to) })
  })
  const dataDir = yield* temporaryFolder
  const run = (fillGaps: boolean) =>
    runOnce(server.url, dataDir, {
      pipelines: ["allocation_history"],
      settings: { fillGaps },
    })
  return { dataDir, run, absent, broken, unlisted }
})

const states = (dataDir: string, state: string) =>
  query(
    dataDir,
    `select chain_id::integer as chain, expected_at::date::varchar as day from mart.completeness
     where series = 'allocation' and state = '${state}' order by all`,
  )

describe("an address that is a vault on two chains", () => {
  live("a day without allocations is empty on its chain, and the chain was read", () =>
    Effect.gen(function* () {
      const { dataDir, run } = yield* onTwoChains
      yield* run(false)
      expect(yield* states(dataDir, "empty")).toEqual([
        { chain: 1, day: dayBefore(12) },
        { chain: 10, day: dayBefore(15) },
      ])
      expect(yield* states(dataDir, "missing")).toEqual([])
      const read = yield* query(
        dataDir,
        `select chain_id::integer as chain, last_attempted_at is not null as is_read
         from mart.freshness where series = 'allocation' order by all`,
      )
      expect(read).toEqual([
        { chain: 1, is_read: true },
        { chain: 10, is_read: true },
      ])
    }),
  )

  live("the vault that follows on another chain is read from its own beginning", () =>
    Effect.gen(function* () {
      const { dataDir, run, unlisted } = yield* onTwoChains
      const read = Effect.gen(function* () {
        const { summary } = yield* run(false)
        const days = yield* query(
          dataDir,
          `select chain_id::integer as chain, count(*)::integer as days from core.allocation_history
           group by all order by all`,
        )
        return { days, requests: summary.pipelines.at(-1)?.requests }
      })
      unlisted.add(10)
      expect((yield* read).days).toEqual([{ chain: 1, days: 19 }])
      unlisted.clear()
      unlisted.add(1)
      expect((yield* read).days).toEqual([
        { chain: 1, days: 19 },
        { chain: 10, days: 19 },
      ])
      expect((yield* read).requests).toBe(1)
    }),
  )

  live("a quarantined response leaves the days of its chain quarantined", () =>
    Effect.gen(function* () {
      const { dataDir, run, broken } = yield* onTwoChains
      yield* run(false)
      broken.add("10")
      yield* change(dataDir, `delete from core.allocation_history where date = '${dayBefore(2)}'`)
      yield* run(false)
      expect(yield* states(dataDir, "quarantined")).toEqual([{ chain: 10, day: dayBefore(2) }])
      expect(yield* states(dataDir, "missing")).toEqual([])
    }),
  )

  live("holes are filled and given up chain by chain", () =>
    Effect.gen(function* () {
      const { dataDir, run } = yield* onTwoChains
      yield* run(false)
      const normal = (yield* run(false)).summary.requests
      yield* change(
        dataDir,
        `delete from core.allocation_history where chain_id = 10 and date = '${dayBefore(10)}'`,
      )
      expect((yield* run(true)).summary.requests - normal).toBe(2)
      const filled = `select count(*)::integer as n from core.allocation_history where date = '${dayBefore(10)}'`
      expect(yield* query(dataDir, filled)).toEqual([{ n: 2 }])
      const gaps = yield* query(
        dataDir,
        `select vault_address as vault, chain_id::integer as chain, series, from_at::date::varchar as day, state
         from ops.gaps order by all`,
      )
      expect(gaps).toEqual([
        { vault, chain: 1, series: "allocation", day: dayBefore(12), state: "permanent" },
        { vault, chain: 10, series: "allocation", day: dayBefore(15), state: "permanent" },
      ])
      expect((yield* run(true)).summary.requests).toBe(normal)
    }),
  )
})

const apyRun = Effect.gen(function* () {
  const simulator = yield* simulated({
    vaults: 1,
    days: 40,
    now: "2026-06-01T00:00:00Z",
    start: "2026-04-22T00:00:00Z",
  })
  const dataDir = yield* temporaryFolder
  const run = (fillGaps: boolean) =>
    runOnce(simulator.url, dataDir, { pipelines: ["apy_history"], settings: { fillGaps } })
  return { simulator, dataDir, run }
})

const unsmoothed = "not is_smoothed and date = '2026-05-01'"

describe("APY series", () => {
  it.live("a day that one of them lacks is a missing slot, requested again by itself", () =>
    Effect.gen(function* () {
      const { dataDir, run } = yield* apyRun
      yield* run(false)
      yield* change(dataDir, `delete from core.apy_history where ${unsmoothed}`)
      const holes = `select series, state from mart.completeness
        where series like 'apy%' and expected_at = '2026-05-01' order by series`
      expect(yield* query(dataDir, holes)).toEqual([
        { series: "apy_smoothed_7d", state: "present" },
        { series: "apy_unsmoothed_7d", state: "empty" },
      ])
      yield* run(true)
      const found = `select count(*)::integer as n from core.apy_history where ${unsmoothed}`
      expect(yield* query(dataDir, found)).toEqual([{ n: 1 }])
      const windows = `select "window" from ops.tasks where pipeline = 'apy_history'
        and run_id = (select run_id from ops.runs order by started_at desc limit 1) and covers_from <= '2026-05-01'`
      const [first, ...others] = yield* query(dataDir, windows)
      expect(others).toEqual([])
      expect(first?.["window"]).toMatch(/^unsmoothed 7d, /)
    }),
  )

  it.live("one without a response is as old as its own newest value while the other loads on", () =>
    Effect.gen(function* () {
      const { simulator, dataDir, run } = yield* apyRun
      yield* run(false)
      simulator.patch({
        now: "2026-06-22T00:00:00Z",
        faults: [{ kind: "status", status: 422, detail: "no", match: "applySmoothing=false" }],
      })
      yield* run(false)
      const newest = `select series, newest_at::date::varchar as newest, last_outcome = 'loaded' as is_loaded
        from mart.freshness where series like 'apy%' order by series`
      expect(yield* query(dataDir, newest)).toEqual([
        { series: "apy_smoothed_7d", newest: "2026-06-22", is_loaded: true },
        { series: "apy_unsmoothed_7d", newest: "2026-06-01", is_loaded: false },
      ])
    }),
  )
})

describe("ops.tasks", () => {
  it.live("records the vault, the series and the days of each task of a series", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({ vaults: 1, days: 100, now: "2026-06-01T00:00:00Z" })
      const dataDir = yield* temporaryFolder
      const pipelines = [
        "ratio_history",
        "pnl_history",
        "apy_history",
        "allocation_history",
        "fees",
      ]
      yield* runOnce(simulator.url, dataDir, { pipelines, settings: { until: 20_600 } })
      const tasks = yield* query(
        dataDir,
        `select pipeline, series, vault_address = (select vault_address from core.vaults) as is_vault,
           chain_id = (select chain_id from core.vaults) as is_chain,
           covers_to is not null as has_days, outcome, "window",
           covers_from::varchar as covers_from, covers_to::varchar as covers_to
         from ops.tasks order by pipeline, "window"`,
      )
      const of = (pipeline: string) => tasks.filter((task) => task["pipeline"] === pipeline)
      const shared = { is_vault: true, is_chain: null, has_days: true }
      expect(of("ratio_history").length).toBeGreaterThan(2)
      expect(of("allocation_history").length).toBeGreaterThan(1)
      const isOpenEnded = (task: (typeof tasks)[number]) => String(task["window"]).startsWith("..")
      expect(tasks.filter(isOpenEnded)).not.toEqual([])
      for (const task of [...of("ratio_history"), ...of("allocation_history")]) {
        const { covers_from: from, covers_to: to, outcome } = task
        const isOpen = isOpenEnded(task)
        expect(task["window"]).toBe(`${isOpen ? "" : String(from)}..${String(to)}`)
        // Points up to a day say nothing of what is older than the oldest; no point says that there is none.
        if (isOpen) expect(from === null).toBe(outcome === "empty")
      }
      expect(of("ratio_history")).toMatchObject(
        of("ratio_history").map(() => ({ ...shared, series: "ratio" })),
      )
      expect(of("allocation_history")).toMatchObject(
        of("allocation_history").map(() => ({ ...shared, series: "allocation", is_chain: true })),
      )
      expect(of("apy_history")).toMatchObject([
        { ...shared, series: "apy_smoothed_7d", covers_from: null },
        { ...shared, series: "apy_unsmoothed_7d", covers_from: null },
      ])
      // A thousand snapshots say nothing of what is older than the oldest.
      const [oldest] = yield* query(
        dataDir,
        "select min(snapshot_at)::date::varchar as day from core.pnl_history",
      )
      expect(of("pnl_history")).toMatchObject([
        { ...shared, series: "pnl", covers_from: oldest?.["day"] },
      ])
      expect(of("fees")).toMatchObject([
        { is_vault: true, is_chain: true, series: null, has_days: false },
      ])
      const lists = of("vaults").map((task) => task["is_vault"])
      expect(new Set(lists)).toEqual(new Set([null]))
    }),
  )
})
