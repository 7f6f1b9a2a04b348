// Descriptions and valuations of vaults: whole runs, against the simulator and a server whose responses change.
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Simulator } from "../../../simulator/index.ts"
import { parseDay } from "../../../src/domain/values/time.ts"
import { json, scriptedServer } from "../../support/servers/scriptedServer.ts"
import { asAdmin, simulated } from "../../support/simulated.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { letAnHourPass, query, runOnce } from "../../support/warehouseRun.ts"

// Before §9.2 takes the deprecated names away.
const now = "2025-12-20T12:00:00Z"
const days = 60
const vaults = 8

const pipelines = [
  "vault_details",
  "vault_summaries",
  "annualized_apy",
  "withdrawals",
  "positions",
  "fees",
  "oracle_classification",
  "performance_fees",
]
const api = asAdmin
const november = { start: parseDay("2025-11-01") ?? 0, end: parseDay("2025-11-30") ?? 0 }
const options = {
  pipelines,
  api,
  settings: { performanceFeeRanges: [november] },
}

const counts = (dataDir: string, ...tables: ReadonlyArray<string>) =>
  Effect.map(
    query(
      dataDir,
      tables
        .map((table) => `select '${table}' as name, count(*)::int as n from core.${table}`)
        .join(" union all "),
    ),
    (rows) => Object.fromEntries(rows.map((row) => [String(row["name"]), Number(row["n"])])),
  )

const outcomes = (dataDir: string, pipeline: string) =>
  Effect.map(
    query(
      dataDir,
      `select outcome, count(*)::int as n from ops.tasks where pipeline = '${pipeline}'
       and run_id = (select arg_max(run_id, finished_at) from ops.tasks) group by outcome`,
    ),
    (rows) => Object.fromEntries(rows.map((row) => [String(row["outcome"]), Number(row["n"])])),
  )

/** Requests so far with this in their address. */
const requestsTo = (simulator: Simulator, path: string): number =>
  simulator.requests().last.filter(({ url }) => url.includes(path)).length

describe("valuation", () => {
  it.live(
    "lands every record, remembers refusals, and a second run changes nothing that stands",
    () =>
      Effect.gen(function* () {
        const simulator = yield* simulated({ now, days, vaults, bigIntegers: true })
        const dataDir = yield* temporaryFolder
        const first = yield* runOnce(simulator.url, dataDir, options)
        expect(first.summary.outcome).toBe("complete")
        const evm = simulator.truth.vaults.filter(({ kind }) => kind === "evm").length
        const withHistory = simulator.truth.vaults.filter(({ ratio }) => ratio.n > 0)
        const standing = [
          "vault_details",
          "vault_detail_metrics",
          "vault_strategies",
          "vault_rewards",
          "vault_integrations",
          "position_snapshots",
          "position_subaccounts",
          "fees",
          "oracle_classification",
          "observation_warnings",
          "performance_fees",
          "vault_summaries",
          "vault_summary_allocations",
          "annualized_apy",
          "withdrawal_summaries",
          "withdrawal_requests",
        ]
        const landed = yield* counts(dataDir, ...standing)
        expect(landed).toMatchObject({
          vault_details: vaults,
          vault_detail_metrics: vaults,
          vault_integrations: vaults,
          fees: evm,
          position_snapshots: withHistory.filter(({ kind }) => kind === "evm").length,
        })
        for (const table of standing) expect(landed[table], table).toBeGreaterThan(0)

        // Four vaults have an annualized APY (§4.2); the others refuse, and are not requested again.
        expect(yield* outcomes(dataDir, "annualized_apy")).toEqual({
          loaded: 4,
          unsupported: vaults - 4,
        })
        const [deprecated] = yield* query(
          dataDir,
          "select count(*)::int as n from core.annualized_apy where extra is null and liquid_apy_30_day is not null",
        )
        expect(deprecated).toEqual({ n: 4 })
        const requestsOfApy = requestsTo(simulator, "/tokenized_vault/annualized_apy/")
        const requestsOfFees = requestsTo(simulator, "/metrics/")
        const second = yield* runOnce(simulator.url, dataDir, options)
        expect(second.summary.outcome).toBe("complete")
        expect(requestsTo(simulator, "/tokenized_vault/annualized_apy/")).toBe(requestsOfApy + 4)
        // The server would answer from its cache for 20 minutes (§8).
        expect(requestsOfFees).toBe(3 * vaults)
        expect(requestsTo(simulator, "/metrics/")).toBe(requestsOfFees)
        expect(yield* counts(dataDir, ...standing)).toEqual(landed)
      }),
  )

  it.live("figures are the service's, and add up", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({ now, days, vaults, bigIntegers: true })
      const dataDir = yield* temporaryFolder
      yield* runOnce(simulator.url, dataDir, options)
      const snapshots = yield* query(
        dataDir,
        `select p.vault_address, total_nav, reported_tvl, buffer_usd, sum(s.total_usd) as held,
           subaccount_count, count(*)::int as n, p.snapshot_at::varchar as at
         from core.position_snapshots p join core.position_subaccounts s
         using (vault_address, chain_id, snapshot_at) group by all`,
      )
      expect(snapshots.length).toBeGreaterThan(0)
      for (const row of snapshots) {
        expect(Number(row["buffer_usd"])).toBeCloseTo(
          Number(row["total_nav"]) - Number(row["held"]),
          6,
        )
        expect(Number(row["buffer_usd"])).toBeGreaterThan(0)
        expect(row["n"]).toBe(Number(row["subaccount_count"]))
      }
      const withdrawn = yield* query(
        dataDir,
        `select w.vault_address, w.pending_requests, w.total_withdrawals_raw as total_raw, w.total_withdrawals as total,
           coalesce(sum(r.amount_raw::bignum), 0::bignum)::varchar as raw, coalesce(sum(r.amount), 0) as amount,
           count(r.request_id)::int as n, max(len(w.total_assets_raw)) as digits
         from core.withdrawal_summaries w left join core.withdrawal_requests r
         using (vault_address, chain_id, valid_from) group by all`,
      )
      expect(withdrawn).toHaveLength(vaults)
      expect(Math.max(...withdrawn.map((row) => Number(row["digits"])))).toBeGreaterThan(16)
      expect(withdrawn.some((row) => Number(row["n"]) > 0)).toBe(true)
      for (const row of withdrawn) {
        expect(row["n"]).toBe(Number(row["pending_requests"]))
        expect(Number(row["amount"])).toBeCloseTo(Number(row["total"]), 6)
        const [total, summed] = [row["total_raw"], row["raw"]].map((text) => Number(text))
        expect(Math.abs((total ?? 0) - (summed ?? 1))).toBeLessThanOrEqual(1e-6 * (total ?? 0))
      }
      const allocated = yield* query(
        dataDir,
        `select count(distinct vault_address)::int as vaults, min(share) > 0 as shared, min(value) > 0 as valued,
           count(*) filter (where extra is not null)::int as rest from core.vault_summary_allocations`,
      )
      expect(allocated).toMatchObject([{ shared: true, valued: true, rest: 0 }])
      const [returns] = yield* query(
        dataDir,
        `select count(return_1_day)::int as day, count(return_30_day)::int as month,
           count(latest_snapshot_at)::int as snapshot, count(extra)::int as rest from core.vault_summaries`,
      )
      expect(returns).toMatchObject({ rest: 0 })
      expect(Number(returns?.["day"])).toBeGreaterThan(Number(returns?.["month"]) - 1)
      expect(Number(returns?.["month"])).toBeGreaterThan(0)
      expect(Number(returns?.["snapshot"])).toBeGreaterThan(0)
      const classes = yield* query(
        dataDir,
        "select distinct pricing_class from core.oracle_classification order by 1",
      )
      expect(classes.map((row) => row["pricing_class"])).toEqual([
        "CeFi",
        "Primary",
        "Secondary Market",
      ])
      const oracle = yield* query(
        dataDir,
        `select date::varchar as date, count(*)::int as n, count(usd_value)::int as valued,
           count(distinct position_id || vault_address)::int as keys
         from core.oracle_classification group by all order by date desc limit 1`,
      )
      expect(oracle[0]?.["date"]).toBe("2025-12-20")
      expect(oracle[0]?.["valued"]).toBe(oracle[0]?.["n"])
      expect(oracle[0]?.["keys"]).toBe(oracle[0]?.["n"])
      const periods = yield* query(
        dataDir,
        `select calculation_period, range, count(*) > 0 as some, min(annualized_fees_pct)::int as pct
         from core.performance_fees where total_perf_fees_asset is not null group by all order by all`,
      )
      expect(periods).toEqual([
        { calculation_period: "Custom", range: "2025-11-01..2025-11-30", some: true, pct: 20 },
        { calculation_period: "MonthToDate", range: "-", some: true, pct: 20 },
        { calculation_period: "YearToDate", range: "-", some: true, pct: 20 },
      ])
      expect((yield* outcomes(dataDir, "performance_fees"))["empty"]).toBeGreaterThan(0)
    }),
  )

  it.live("an hour later there is another snapshot, and no version of what only moved", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({ now, days, vaults })
      const dataDir = yield* temporaryFolder
      yield* runOnce(simulator.url, dataDir, options)
      const tables = ["vault_details", "vault_detail_metrics", "vault_strategies", "fees"]
      const snapshots = ["position_snapshots", "oracle_classification"]
      const before = yield* counts(dataDir, ...tables, ...snapshots)
      simulator.patch({ now: "2025-12-21T12:00:00Z" })
      yield* runOnce(simulator.url, dataDir, options)
      const after = yield* counts(dataDir, ...tables, ...snapshots)
      expect(after).toMatchObject({
        vault_details: before["vault_details"],
        vault_strategies: before["vault_strategies"],
        fees: before["fees"],
      })
      for (const moved of ["vault_detail_metrics", ...snapshots]) {
        expect(after[moved], moved).toBeGreaterThan(before[moved] ?? 0)
      }
    }),
  )

  it.live("reads another dialect of the same API", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({
        now,
        days,
        vaults,
        addressCase: "upper",
        addedFields: true,
        vaultNames: { address: "vaultAddress", chain: "chain" },
      })
      const dataDir = yield* temporaryFolder
      const { summary } = yield* runOnce(simulator.url, dataDir, options)
      expect(summary.outcome).toBe("complete")
      const [odd] = yield* query(
        dataDir,
        `select (select count(*) from core.vault_details where vault_address <> lower(vault_address) and vault_address like '0x%')
           + (select count(*) from core.vault_strategies where subaccount_address <> lower(subaccount_address))
           + (select count(*) from core.fees where extra not like '%added_field%')
           + (select count(*) from core.vault_rewards where extra is null) as n`,
      )
      expect(Number(odd?.["n"])).toBe(0)
    }),
  )

  it.live("a response that is not as documented is quarantined, and the next run resolves it", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({
        now,
        days,
        vaults,
        faults: [{ kind: "contract-break", pathPrefix: "/platform/positions/", count: 1 }],
      })
      const dataDir = yield* temporaryFolder
      const some = { ...options, pipelines: ["positions"] }
      expect((yield* runOnce(simulator.url, dataDir, some)).summary.outcome).toBe("partial")
      expect((yield* outcomes(dataDir, "positions"))["quarantined"]).toBe(1)
      expect((yield* runOnce(simulator.url, dataDir, some)).summary.outcome).toBe("complete")
    }),
  )

  const vault = `0x${"ab".repeat(20)}`
  it.live("a list that becomes null ends its members; one that is missing ends none", () =>
    Effect.gen(function* () {
      const member = `0x${"01".repeat(20)}`
      const filled = {
        subaccounts: [{ address: member }],
        operators: [{ address: member, operator_type: "keeper" }],
        rewards: [{ text: "Season 1" }],
        integrations: [{ name: "Pendle" }],
        allocation: { Aave: 1 },
        pendingQueue: [{ id: "a", amount: 1 }],
      }
      let lists: Readonly<Record<string, unknown>> = filled
      const server = yield* scriptedServer(({ url }, response) =>
        url.startsWith("/tokenized_vault?")
          ? json(response, url.endsWith("active") ? [{ address: vault, chain: 1 }] : [])
          : json(response, { address: vault, chain: 1, name: "Alpha", totalAssets: 1, ...lists }),
      )
      const dataDir = yield* temporaryFolder
      const some = { pipelines: ["vault_details", "vault_summaries", "withdrawals"] }
      const tables = [
        "vault_strategies",
        "vault_operators",
        "vault_rewards",
        "vault_integrations",
        "vault_summary_allocations",
        "withdrawal_requests",
      ]
      const currentAfter = Effect.fnUntraced(function* (sent: typeof lists) {
        lists = sent
        expect((yield* runOnce(server.url, dataDir, some)).summary.outcome).toBe("complete")
        yield* letAnHourPass(dataDir)
        return yield* counts(dataDir, ...tables.map((table) => `${table} where is_current`))
      })
      const nulls = Object.fromEntries(Object.keys(filled).map((name) => [name, null]))
      const each = (n: number) =>
        Object.fromEntries(tables.map((table) => [`${table} where is_current`, n]))
      expect(yield* currentAfter(filled)).toEqual(each(1))
      expect(yield* currentAfter({})).toEqual(each(1))
      expect(yield* currentAfter(nulls)).toEqual(each(0))
    }),
  )

  it.live("what a vault no longer lists has ended, and what its warnings no longer say", () =>
    Effect.gen(function* () {
      const [kept, gone] = [`0x${"01".repeat(20)}`, `0x${"02".repeat(20)}`]
      let later = false
      const server = yield* scriptedServer(({ url }, response) => {
        if (url.startsWith("/tokenized_vault?")) {
          return json(response, url.endsWith("active") ? [{ address: vault, chain: 1 }] : [])
        }
        if (url.startsWith("/platform/")) {
          return json(response, {
            warnings: later ? [] : ["no price for X"],
            positions: [{ token: "X", pricing_class: "Primary", usd: 1 }],
          })
        }
        return json(response, {
          address: vault,
          chain: 1,
          subaccounts: (later ? [kept] : [kept, gone]).map((address) => ({ address })),
          operators: later ? [] : [{ address: kept, operator_type: "keeper" }],
          rewards: [{ text: "Season 1", multiplier: later ? 2 : 1 }],
        })
      })
      const dataDir = yield* temporaryFolder
      const some = { pipelines: ["vault_details", "oracle_classification"] }
      yield* runOnce(server.url, dataDir, some)
      later = true
      yield* runOnce(server.url, dataDir, some)
      const current = (table: string, column: string) =>
        query(
          dataDir,
          `select ${column} as it, is_current, valid_to is not null as ended from core.${table} order by all`,
        )
      expect(yield* current("vault_strategies", "subaccount_address")).toEqual([
        { it: kept, is_current: true, ended: false },
        { it: gone, is_current: false, ended: true },
      ])
      expect(yield* current("vault_operators", "operator_address")).toEqual([
        { it: kept, is_current: false, ended: true },
      ])
      expect(yield* current("vault_rewards", "multiplier")).toEqual([
        { it: 1, is_current: false, ended: true },
        { it: 2, is_current: true, ended: false },
      ])
      expect(yield* current("observation_warnings", "warning")).toEqual([
        { it: "no price for X", is_current: false, ended: true },
      ])
    }),
  )

  it.live(
    "the deprecated names of annualized APY are used and reported, a failed dependency fails",
    () =>
      Effect.gen(function* () {
        let fails = false
        const server = yield* scriptedServer(({ url }, response) => {
          if (url.startsWith("/tokenized_vault?")) {
            return json(response, url.endsWith("active") ? [{ address: vault, chain: 1 }] : [])
          }
          return fails
            ? json(response, { detail: "no external data" }, 424)
            : json(response, { veth30dLiquidAPY: 0.05, veth7dLiquidAPY: 0.04 })
        })
        const dataDir = yield* temporaryFolder
        const some = { pipelines: ["annualized_apy"], api: { retryBudgetSeconds: 0.1 } }
        yield* runOnce(server.url, dataDir, some)
        expect(
          yield* query(
            dataDir,
            "select liquid_apy_30_day, liquid_apy_7_day from core.annualized_apy",
          ),
        ).toEqual([{ liquid_apy_30_day: 0.05, liquid_apy_7_day: 0.04 }])
        expect(
          yield* query(dataDir, "select json_path, kind from ops.schema_drift order by all"),
        ).toEqual([
          { json_path: "$.veth30dLiquidAPY", kind: "deprecated_field" },
          { json_path: "$.veth7dLiquidAPY", kind: "deprecated_field" },
        ])
        fails = true
        yield* runOnce(server.url, dataDir, some)
        expect(yield* outcomes(dataDir, "annualized_apy")).toEqual({ failed: 1 })
      }),
  )
})
