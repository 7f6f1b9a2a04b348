// Runs every view of deploy/bi/malloy over a published copy and compares it with plain SQL on the marts.
// node malloy.js INSTALLED PUBLISHED: the folder of the npm packages, and the copy.
import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"

const [installed, published] = process.argv.slice(2)
const require = createRequire(join(installed, "package.json"))
const { DuckDBConnection } = require("@malloydata/db-duckdb")
const { SingleConnectionRuntime } = require("@malloydata/malloy")

const netApy = (days) => {
  const managed = `(pow(1 + apy_return_${days}d, 365.0 / ${days}) - 1 - management_fee_pct / 100)`
  return `case when ${managed} > 0 then ${managed} * (1 - performance_fee_pct / 100) else ${managed} end`
}
const vaults = `from mart.vault_latest as l
  left join mart.vault_performance as p using (chain_id, vault_address) where not l.is_ended`

/** SQL by view, with its columns in the view's order. */
const expected = {
  "vaults -> totals": `select count(*), sum(nav_usd), sum(pnl_usd), min(collateral_ratio), max(max_drawdown),
    max(ratio_age_hours) ${vaults}`,
  "vaults -> ranking": `select l.vault_name, nav_usd, backing, collateral_ratio, return_1d, return_30d, return_90d,
    ${netApy(7)}, ${netApy(30)}, ${netApy(90)}, max_drawdown, volatility_30d, management_fee_pct, performance_fee_pct
    ${vaults}`,
  "vaults -> risk": `select l.vault_name, collateral_ratio, lowest_health_factor, top_protocol, top_protocol_share,
    concentration_hhi, buffer_share, pending_withdrawals_share, ratio_age_hours ${vaults}`,
  "vault_days -> by_vault": `select vault_address, vault_name, count(*), avg(apy_smoothed), min(collateral_ratio_low),
    max(collateral_ratio_high), sum(hours_present) / sum(hours_expected) from mart.vault_daily group by all`,
  "vault_days -> by_month": `select date_trunc('month', day)::date, count(*), avg(apy_smoothed),
    min(collateral_ratio_low), sum(hours_present) / sum(hours_expected) from mart.vault_daily group by all`,
  "vault_days -> drawdown": `select vault_address, day, collateral_ratio_close,
    (select max(b.collateral_ratio_close) from mart.vault_daily as b
      where b.vault_address = d.vault_address and b.day <= d.day)
    from mart.vault_daily as d where collateral_ratio_close is not null`,
  "pnl_days -> by_month": `select vault_address, month, sum(pnl_usd_change) from mart.pnl_daily group by all`,
  "flows -> by_month": `select vault_address, vault_name, date_trunc('month', day)::date, sum(flow)
    from mart.vault_flows where flow is not null group by all`,
  "allocations -> by_protocol": `select protocol, count(*), avg(weight), max(weight)
    from mart.allocation_daily group by all`,
  "allocation_days -> concentration": `select chain_id, vault_address, avg(concentration_hhi), max(top_share)
    from mart.allocation_days group by all`,
  "subaccounts -> by_band": `select band, count(*), sum(debt_usd) / sum(collateral_usd), min(health_factor)
    from mart.subaccount_health where has_debt group by all`,
  "freshness -> by_series": `select series, count(*) filter (is_stale), max(age_hours)
    from mart.freshness group by all`,
}

/** Numbers without the last digits, which the order of a sum changes. */
const plain = (value) => {
  if (value === null || value === undefined) return null
  if (value instanceof Date) return value.toISOString().slice(0, 10)
  if (/^\d{4}-\d\d-\d\d/.test(value)) return value.slice(0, 10)
  // A count comes as text from one side.
  return value.startsWith?.("0x") || Number.isNaN(Number(value))
    ? value
    : Number(value).toPrecision(10)
}
const comparable = (rows) => rows.map((row) => JSON.stringify(row.map(plain))).toSorted()

const connection = new DuckDBConnection({
  name: "duckdb",
  databasePath: published,
  readOnly: true,
})
const text = readFileSync("deploy/bi/malloy/vaults.malloy", "utf8")
const model = new SingleConnectionRuntime({ connection }).loadModel(text)

const declared = [...text.matchAll(/^source: (\w+)([^]*?)(?=^source: |(?![^]))/gm)].flatMap(
  ([, source, body]) =>
    [...body.matchAll(/view: (\w+)/g)].map(([, view]) => `${source} -> ${view}`),
)
assert.deepEqual(declared, Object.keys(expected), "every view is compared")

for (const [view, sql] of Object.entries(expected)) {
  const found = await model.loadQuery(`run: ${view}`).run({ rowLimit: 100_000 })
  const rows = found.data.toObject().map((row) => Object.values(row))
  const { rows: plainRows } = await connection.runSQL(sql, { rowLimit: 100_000 })
  assert.ok(rows.length > 0, view)
  assert.deepEqual(comparable(rows), comparable(plainRows.map((row) => Object.values(row))), view)
  process.stdout.write(`${view}: ${rows.length} rows equal\n`)
}
await connection.close()
