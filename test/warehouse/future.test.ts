// One fact that is dated years ahead changes none of the newest figures, and makes nothing fresh: it stays in core, where a
// check of the table finds it.
import { afterAll, beforeAll, expect, it } from "vitest"
import { sqlFile } from "../../src/pipelines/readers/published.ts"
import { CATALOG } from "../../src/load/sql/sql.ts"
import { shifted } from "./independent.ts"
import {
  addRows,
  openWarehouse,
  putGiven,
  readRows,
  stopClock,
  type TestWarehouse,
} from "./support.ts"

const vault = { chain_id: 1, vault_address: "a" }
const days = Array.from({ length: 95 }, (_, at) => [shifted("2026-01-01", at), at] as const)

/** What is recorded of a day, of a vault that falls below par on the last one. */
const facts = (day: string, at: number): Parameters<typeof putGiven>[1] => ({
  "core.ratio_history": ["11", "23"].map((hour) => ({
    ...vault,
    observed_at: `${day} ${hour}:00:00`,
    actual_tvl: 1000,
    tvl_on_vault: 1000,
    adjusted_redeem_ratio: at === 94 ? 0.9 : 1 + at / 1000,
  })),
  "core.pnl_history": [
    {
      ...vault,
      snapshot_at: `${day} 10:00:00`,
      unrealized_pnl: at + 1,
      unrealized_pnl_in_asset: at + 1,
    },
  ],
  "core.apy_history": [true, false].map((is_smoothed) => ({
    ...vault,
    date: day,
    is_smoothed,
    averaging_period_days: 7,
    apy: 0.05 + at / 1000,
  })),
  "core.allocation_history": [{ ...vault, date: day, protocol: "Aave", value: 100 + at }],
  "core.position_snapshots": [
    {
      ...vault,
      snapshot_at: `${day} 11:00:00`,
      total_nav: 1000 + at,
      reported_tvl: 1000,
      buffer_usd: 5,
    },
  ],
  "core.oracle_classification": [
    { ...vault, date: day, pricing_class: "PRIMARY", usd_value: 1000 + at },
  ],
  "core.health_factors": [
    {
      subaccount_address: "s",
      calculated_at: `${day} 11:00:00`,
      health_factor: 1 + at,
      total_collateral: 10,
      total_loan: 1,
    },
  ],
  "core.audit_log": [{ ...vault, occurred_at: `${day} 11:00:00`, type: "t", summary: day }],
})

const described: Parameters<typeof putGiven>[1] = {
  "core.vaults": [
    {
      ...vault,
      vault_name: "A",
      status: "active",
      chain_type: "evm",
      is_current: true,
      valid_from: "2026-01-01",
    },
  ],
  "core.fees": [
    {
      ...vault,
      management_fee_pct: 1,
      performance_fee_pct: 10,
      valid_from: "2026-01-01",
      is_current: true,
    },
  ],
  "core.vault_subaccounts": [{ ...vault, subaccount_address: "s", is_current: true }],
  "core.withdrawal_summaries": [
    {
      ...vault,
      total_withdrawals: 1,
      total_assets: 1000,
      valid_from: "2026-04-05",
      is_current: true,
    },
  ],
  "ops.tasks": [
    "ratio_history",
    "pnl_history",
    "apy_history",
    "allocation_history",
    "positions",
    "oracle_classification",
    "health_factors",
  ].map((pipeline) => ({
    run_id: "r",
    pipeline,
    entity: "a",
    vault_address: pipeline === "health_factors" ? null : "a",
    outcome: "loaded",
    finished_at: "2026-04-06 00:10:00",
  })),
}

// As `health.ts` puts it together.
const health = `with freshness_targets as (from mart.freshness_targets), apy_series as (from mart.apy_series),
    vault_names as (from mart.vault_names)
  from (${sqlFile("health", "freshness")})`

const statements: ReadonlyArray<readonly [name: string, sql: string]> = [
  ...[
    "freshness",
    "pipeline_freshness",
    "vault_lifecycle",
    "vault_latest",
    "vault_performance",
    "vault_daily",
    "apy_daily",
    "completeness",
    "withdrawable",
    "reconciliation",
    "protocol_exposure",
    "vault_period(null, null)",
    "vault_period(date '2026-03-01', date '2030-12-31')",
  ].map((mart) => [`mart.${mart}`, `from mart.${mart} order by all`] as const),
  ["serve/troubles", sqlFile("serve", "troubles")],
  ["health/freshness", health],
]

let warehouse: TestWarehouse
const without = new Map<string, unknown>()
const rowsOf = (sql: string) => readRows(warehouse.connection, sql)

beforeAll(async () => {
  warehouse = await openWarehouse()
  const { connection } = warehouse
  await putGiven(connection, described)
  for (const [day, at] of days) await addRows(connection, facts(day, at))
  await connection.run(`USE ${CATALOG}`)
  await stopClock(connection, "2026-04-06 00:30:00")
  for (const [name, sql] of statements) without.set(name, await rowsOf(sql))
  await addRows(connection, facts("2030-01-01", 500))
})
afterAll(() => warehouse.close())

it.each(statements)("%s", async (name, sql) => {
  expect(without.get(name)).not.toEqual([])
  expect(await rowsOf(sql)).toEqual(without.get(name))
})
