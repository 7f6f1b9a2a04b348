// The worked questions on rows no demo has: what one odd figure, or one fact that has gone stale, does to an answer.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { queriedAt } from "../../../demo/exampleWarehouse.ts"
import type { QueryParameter } from "../../../src/domain/values/queryParameter.ts"
import { bindParameters } from "../../../src/load/published/read/reader/bindParameters.ts"
import { marts } from "../../../src/load/marts/marts.ts"
import { CATALOG } from "../../../src/load/sql/sql.ts"
import { shifted } from "../independent.ts"
import { openWarehouse, putGiven, stopClock, type TestWarehouse } from "../support.ts"

let warehouse: TestWarehouse
beforeAll(async () => {
  warehouse = await openWarehouse()
  await stopClock(warehouse.connection, queriedAt)
  await warehouse.connection.run(`USE ${CATALOG}`)
})
afterAll(() => warehouse.close())

const answer = async (
  name: string,
  given: Parameters<typeof putGiven>[1],
  parameters: Readonly<Record<string, QueryParameter>> = {},
) => {
  await putGiven(warehouse.connection, given)
  const file = join(import.meta.dirname, `../../../warehouse/examples/${name}.sql`)
  const sql = readFileSync(file, "utf8")
  const reader = await warehouse.connection.runAndReadAll(
    sql,
    await bindParameters(warehouse.connection, sql, parameters),
  )
  return reader.getRowObjectsJson()
}

/** Of the rows that were put last. */
const martExample = async (mart: string) => {
  const example = marts.find(({ name }) => name === mart)?.example ?? ""
  return (await warehouse.connection.runAndReadAll(example)).getRowObjectsJson()
}

const vault = (address: string, chain = 1) => ({
  chain_id: chain,
  vault_address: address,
  vault_name: address,
  status: "active",
  is_current: true,
})

it("weekly-report: a yield no return can be worked out of leaves the other vaults' weeks alone", async () => {
  const days = ["26", "27", "28", "29", "30", "31"].map((day) => `2026-05-${day}`)
  const apy = (vault_address: string, date: string, value: number) => ({
    vault_address,
    date,
    is_smoothed: false,
    averaging_period_days: 7,
    apy: value,
  })
  const rows = await answer("weekly-report", {
    "core.vaults": [vault("sound"), vault("odd")],
    "core.apy_history": [...days, "2026-06-01"].flatMap((date) => [
      apy("sound", date, 0.05),
      apy("odd", date, date === "2026-05-28" ? -1.2 : 0.05),
    ]),
  })
  expect(rows.map(({ vault_name }) => vault_name)).toEqual(["odd", "sound"])
  expect(rows[0]?.["return_7d"]).toBeNull()
  expect(Number(rows[1]?.["return_7d"])).toBeCloseTo(1.05 ** (7 / 365) - 1, 12)
})

it("figures-given-twice: the widest contradiction comes first, whatever its sign", async () => {
  const snapshot = { chain_id: 1, snapshot_at: "2026-06-01 10:00:00", reported_tvl: 100 }
  const rows = await answer("figures-given-twice", {
    "core.vaults": [vault("above"), vault("below"), vault("close")],
    "core.position_snapshots": [
      { ...snapshot, vault_address: "above", total_nav: 130 },
      { ...snapshot, vault_address: "below", total_nav: 40 },
      { ...snapshot, vault_address: "close", total_nav: 101 },
    ],
  })
  expect(
    rows.map(({ vault_name, relative_difference }) => [vault_name, relative_difference]),
  ).toEqual([
    ["below", -0.6],
    ["above", 0.3],
    ["close", 0.01],
  ])
})

it("collateral-deficits: who has repaid all debt since lacks nothing any more", async () => {
  const deficit = {
    chain_id: 1,
    token_address: "t",
    target_health_factor: 1.2,
    amount_usd: -50_000,
    valid_from: "2026-06-01 10:00:00",
    is_current: true,
  }
  const debt = (subaccount_address: string, total: number, valid_from: string) => ({
    subaccount_address,
    total_debt: total,
    total_loan_value: total,
    valid_from,
    is_current: true,
  })
  const task = (entity: string, finished_at: string) => ({
    pipeline: "collateral_excess",
    entity,
    outcome: "loaded",
    finished_at,
  })
  const rows = await answer("collateral-deficits", {
    "core.collateral_excess": [
      { ...deficit, subaccount_address: "owes" },
      { ...deficit, subaccount_address: "repaid" },
    ],
    "core.subaccount_summaries": [
      debt("owes", 10, "2026-06-01 09:59:00"),
      debt("repaid", 0, "2026-06-02 09:59:00"),
    ],
    "ops.tasks": [
      task("owes 1:t", "2026-06-02 10:00:00"),
      task("repaid 1:t", "2026-06-01 10:00:00"),
    ],
  })
  expect(rows.map((row) => [row["subaccount_address"], row["read_at"]])).toEqual([
    ["owes", "2026-06-02 10:00:00"],
  ])
})

it("funds-off-the-whitelist: a subaccount that a snapshot lists once for each chain holds their sum, until one lists none", async () => {
  const snapshot = { chain_id: 1, vault_address: "v", snapshot_at: "2026-06-02 09:00:00" }
  const held = (subaccount_address: string, total_usd: number | null) => ({
    ...snapshot,
    subaccount_address,
    total_usd,
  })
  const given = {
    "core.vaults": [vault("v")],
    "core.position_snapshots": [snapshot],
    "core.whitelist_status": ["a", "b"].map((subaccount_address) => ({
      chain_id: 1,
      vault_address: "v",
      subaccount_address,
      is_whitelisted: false,
      valid_from: "2026-06-01",
      is_current: true,
    })),
    "core.position_subaccounts": [
      held("a", 60),
      held("a#2", 40),
      // A part that is not known makes the sum unknown.
      held("b", 5),
      held("b#2", null),
    ],
  }
  const rows = await answer("funds-off-the-whitelist", given)
  expect(rows).toMatchObject([{ subaccount_address: "a", held_usd: 100 }])
  // The newest snapshot lists no subaccount.
  const emptied = await answer("funds-off-the-whitelist", {
    ...given,
    "core.position_snapshots": [snapshot, { ...snapshot, snapshot_at: "2026-06-02 10:00:00" }],
  })
  expect(emptied).toEqual([])
})

it("an address on two chains is two vaults wherever the facts name the chain", async () => {
  const on = (chain_id: number) => ({ chain_id, vault_address: "twin", is_current: true })
  const given = {
    "core.vaults": [vault("twin", 1), vault("twin", 10)],
    "core.withdrawal_summaries": [1, 10].map((chain) => ({
      ...on(chain),
      total_withdrawals: 10 * chain,
      total_assets: 1000,
      pending_requests: 1,
      valid_from: "2026-06-01",
    })),
    "core.withdrawal_requests": [1, 10].map((chain) => ({
      ...on(chain),
      request_id: "x",
      recipient_address: "r",
      requested_at: "2026-06-01",
      amount: 10 * chain,
    })),
    "core.allocation_history": [1, 10].map((chain) => ({
      chain_id: chain,
      vault_address: "twin",
      date: "2026-06-01",
      protocol: "Aave",
      value: 100 * chain,
    })),
    "core.oracle_classification": [1, 10].map((chain) => ({
      chain_id: chain,
      vault_address: "twin",
      date: "2026-06-01",
      position_id: "p",
      pricing_class: "Primary",
      usd_value: 100 * chain,
    })),
    "core.fees": [1, 10].map((chain) => ({
      ...on(chain),
      management_fee_pct: chain,
      performance_fee_pct: 0,
      valid_from: "2026-06-01",
    })),
    "core.roles": [1, 10].map((chain) => ({
      ...on(chain),
      role: "owner",
      holder_address: "h",
      is_safe: false,
    })),
    "core.audit_log": [
      {
        chain_id: 10,
        vault_address: "twin",
        occurred_at: "2026-05-31 10:00:00",
        type: "fee",
        summary: "of the other chain",
      },
    ],
    "core.observation_warnings": [
      { ...on(10), endpoint: "roles", warning: "of the other chain", valid_from: "2026-06-01" },
    ],
    "core.ratio_history": [9, 10].map((hour) => ({
      vault_address: "twin",
      observed_at: `2026-06-01 ${hour === 9 ? "09" : hour}:00:00`,
      actual_tvl: 90 + hour,
      tvl_on_vault: 100,
      adjusted_redeem_ratio: (90 + hour) / 100,
    })),
    "core.apy_history": [
      {
        vault_address: "twin",
        date: "2026-06-01",
        is_smoothed: false,
        averaging_period_days: 7,
        apy: 0.2,
      },
    ],
  }
  const of = async (name: string, column: string) =>
    (await answer(name, given))
      .map((row) => row[column])
      .toSorted((one, other) => Number(one) - Number(other))
  expect(await of("queue-over-time", "change")).toEqual([null, null])
  expect(await of("buffer-against-the-queue", "queue_amount")).toEqual([10, 100])
  expect(await of("whales-in-the-queue", "share_of_queue")).toEqual([1, 1])
  expect(await of("exposure-to-a-protocol", "value")).toEqual([100, 1000])
  expect(await of("concentration-drift", "hhi")).toEqual([1, 1])
  expect(await of("pricing-quality", "share")).toEqual([1, 1])
  expect(await of("who-can-act-alone", "roles_held")).toEqual(["1", "1"])
  expect(await of("fees-and-what-they-left", "days")).toEqual(["1", "1"])
  expect(await of("trust-before-use", "contradictions")).toEqual(["0", "0", "0", "1", "1", "1"])
  expect(await of("trust-before-use", "warnings")).toEqual(["0", "0", "0", "1", "1", "1"])
  // The yield and the ratio are the address's: one vault has them, with its own fees and its own governance.
  expect(await of("net-apy-after-fees", "management_fee_pct")).toEqual([1])
  expect(await of("ratio-moves-and-what-came-before", "event")).toEqual([null])
  expect(await of("weekly-report", "governance_events")).toEqual(["0"])
})

it("who-did-what: the holders of the roles at that instant, none before they were read", async () => {
  const owner = (holder_address: string, from: string, to?: string) => ({
    chain_id: 1,
    vault_address: "a",
    role: "owner",
    holder_address,
    occurrence: 1,
    valid_from: from,
    ...(to === undefined ? {} : { valid_to: to }),
    is_current: to === undefined,
  })
  const noted = (day: string) => ({
    chain_id: 1,
    vault_address: "a",
    occurred_at: day,
    type: "attestation",
    summary: day,
    occurrence: 1,
  })
  const rows = await answer("who-did-what", {
    "core.vaults": [vault("a")],
    "core.roles": [owner("first", "2026-05-10", "2026-05-20"), owner("second", "2026-05-20")],
    "core.audit_log": ["2026-01-01", "2026-05-05", "2026-05-15", "2026-05-25"].map(noted),
  })
  expect(
    rows.map(({ kind, holder, detail, roles_then }) => [kind, holder ?? detail, roles_then]),
  ).toEqual([
    ["audit", "2026-05-25", "owner: second"],
    ["role_granted", "second", "owner: second"],
    ["role_revoked", "first", "owner: second"],
    ["audit", "2026-05-15", "owner: first"],
    ["audit", "2026-05-05", null],
  ])
})

it("flows-by-month: what the vault credits is no flow, and days without a yield are counted", async () => {
  const point = (day: string, supply: number) => ({
    vault_address: "a",
    observed_at: `${day} 12:00:00`,
    tvl_on_vault: supply,
    actual_tvl: supply,
    adjusted_redeem_ratio: 1,
  })
  const yieldOf = (day: string, apy: number) => ({
    vault_address: "a",
    date: day,
    is_smoothed: false,
    averaging_period_days: 7,
    apy,
  })
  // Doubles within a day.
  const doubling = 2 ** 365 - 1
  const rows = await answer("flows-by-month", {
    "core.vaults": [vault("a")],
    "core.ratio_history": [
      point("2026-04-30", 100),
      point("2026-05-01", 208),
      point("2026-05-02", 198),
      point("2026-05-03", 500),
    ],
    "core.apy_history": [yieldOf("2026-05-01", doubling), yieldOf("2026-05-02", 0)],
  })
  const figures = ["supply_change", "credited", "flow"]
  const closeTo = (value: unknown) => (value === null ? null : expect.closeTo(Number(value), 6))
  expect(rows.map((row) => [...figures.map((name) => row[name]), row["days_not_known"]])).toEqual([
    [null, null, null, "0"],
    [400, closeTo(100), closeTo(-2), "1"],
  ])
})

it("what-moved-the-health: the fall by the collateral and by the debt, of those that are still there", async () => {
  const factor = (subaccount_address: string, day: string, collateral: number, debt: number) => ({
    subaccount_address,
    health_factor_id: day,
    calculated_at: day,
    health_factor: collateral / debt,
    total_collateral: collateral,
    total_loan: debt,
  })
  const [before, now] = ["2026-05-30", "2026-06-01"]
  const rows = await answer("what-moved-the-health", {
    "core.subaccounts": [
      { subaccount_address: "fell", friendly_name: "Desk", is_current: true },
      { subaccount_address: "gone", is_current: false },
    ],
    "core.health_factors": [
      factor("fell", before, 200, 100),
      factor("fell", now, 180, 120),
      factor("gone", before, 200, 100),
      factor("gone", now, 50, 100),
      factor("rose", before, 100, 100),
      factor("rose", now, 200, 100),
      factor("new", now, 100, 100),
    ],
  })
  expect(rows).toHaveLength(1)
  expect(rows[0]).toMatchObject({ name: "Desk", band: "moderate", days_since_before: 2 })
  const of = (name: string) => Number(rows[0]?.[name])
  expect(of("health_factor_change")).toBeCloseTo(-0.5, 12)
  expect(of("by_collateral")).toBeCloseTo(-0.2, 12)
  expect(of("by_debt")).toBeCloseTo(-0.3, 12)
})

const twoChains = { "core.vaults": [vault("a", 1), vault("a", 10)] }
const ratioPoint = (observed_at: string, adjusted_redeem_ratio: number) => ({
  vault_address: "a",
  observed_at,
  adjusted_redeem_ratio,
})
const nine = "2026-06-01 09:00:00"
const ten = "2026-06-01 10:00:00"

it("known-at-an-instant: a point that the service has retired is not lost, and two chains double nothing", async () => {
  const rows = await answer(
    "known-at-an-instant",
    {
      ...twoChains,
      "core.ratio_history": [{ ...ratioPoint(ten, 1), _updated_at: "2026-06-01 10:05:00" }],
      "core.ratio_history_versions": [
        {
          ...ratioPoint(nine, 0.9),
          _updated_at: "2026-06-01 09:05:00",
          _superseded_at: "2026-06-02 09:05:00",
        },
      ],
    },
    { instant: "2026-06-01T12:00" },
  )
  expect(
    rows.map((row) => [row["observed_at"], row["status"], row["collateral_ratio_then"]]),
  ).toEqual([
    [nine, "retired", 0.9],
    [ten, "same", 1],
  ])
})

it("revised-history: each version is compared with the one that replaced it, once for two chains", async () => {
  const version = (ratio: number, superseded: string) => ({
    ...ratioPoint(ten, ratio),
    _superseded_at: superseded,
  })
  const rows = await answer("revised-history", {
    ...twoChains,
    "core.ratio_history": [ratioPoint(ten, 1)],
    "core.ratio_history_versions": [
      { ...version(1, "2026-06-02"), actual_tvl: 40 },
      { ...version(3, "2026-06-03"), actual_tvl: 40 },
      // Only the supply changed: the ratio and the backing were not revised.
      { ...version(1, "2026-06-04"), tvl_on_vault: 7 },
      { ...version(0.5, "2026-06-03"), observed_at: nine },
    ],
  })
  const of = (measure: string) => rows.find((row) => row["measure"] === measure)
  expect(rows).toHaveLength(3)
  expect(of("collateral_ratio")).toMatchObject({
    series: "ratio",
    revisions: "2",
    retired: "1",
    facts_revised: "2",
    widest_change: 2,
  })
  expect(Number(of("collateral_ratio")?.["mean_change"])).toBe(2)
  expect(of("supply")).toMatchObject({ revisions: "2", retired: "0", widest_change: null })
  expect(of("backing")).toMatchObject({ revisions: "1", retired: "0" })
})

it("fee-income: what was recorded at the vault's own rate, in its asset and in USD", async () => {
  const month = { vault_address: "a", calculation_period: "MonthToDate", range: "-" }
  const rows = await answer("fee-income", {
    ...twoChains,
    "core.fees": [
      {
        chain_id: 1,
        vault_address: "a",
        performance_fee_pct: 10,
        management_fee_pct: 1,
        valid_from: "2026-05-01",
        is_current: true,
      },
    ],
    "core.performance_fees": [20, 40].map((pct) => ({
      ...month,
      is_native_denominated: true,
      annualized_fees_pct: pct,
      total_perf_fees_asset: pct / 5,
      valid_from: "2026-05-10",
      is_current: true,
    })),
    "core.pnl_history": [
      {
        vault_address: "a",
        snapshot_at: "2026-05-09",
        unrealized_pnl: 300,
        unrealized_pnl_in_asset: 3,
      },
    ],
  })
  expect(rows).toMatchObject([
    {
      performance_fees: 2,
      performance_fees_usd: 200,
      asset_price_usd: 100,
      estimated_fees_usd: null,
    },
  ])
})

it("trace-a-figure: one row for an address on two chains", async () => {
  const rows = await answer("trace-a-figure", {
    ...twoChains,
    "core.ratio_history": [ratioPoint(ten, 1)],
  })
  expect(rows).toHaveLength(1)
})

it("net-apy-after-fees: a vault without a name has its yield", async () => {
  const rows = await answer("net-apy-after-fees", {
    "core.vaults": [{ ...vault("a"), vault_name: null }],
    "core.apy_history": [
      {
        vault_address: "a",
        date: "2026-06-01",
        is_smoothed: false,
        averaging_period_days: 7,
        apy: 0.05,
      },
    ],
  })
  expect(rows.map(({ vault_address, gross_apy }) => [vault_address, gross_apy])).toEqual([
    ["a", 0.05],
  ])
})

it("below par is the same hours in the marts, the example and the page", async () => {
  const points = {
    "core.vaults": [vault("a")],
    "core.ratio_history": [
      ratioPoint("2026-06-01 10:00:00", 0.99),
      ratioPoint("2026-06-01 10:20:00", 0.98),
      ratioPoint("2026-06-01 10:40:00", 1.01),
    ],
  }
  const [episode] = await answer("below-par-episodes", points)
  expect(episode).toMatchObject({ hours: "1", deepest_at: ten })
  const rows = async (sql: string) =>
    (await warehouse.connection.runAndReadAll(sql)).getRowObjectsJson()
  const page = readFileSync(
    join(import.meta.dirname, "../../../warehouse/serve/vault_below_par.sql"),
    "utf8",
  ).replaceAll("$vault_address", "'a'")
  expect(await rows(page)).toMatchObject([{ hours: "1", lowest_ratio: 0.98 }])
  expect(
    await rows(
      `select performance.hours_below_par::integer as performance,
         (select count(*) filter (is_below_par)::integer from mart.vault_hourly) as hourly,
         (select sum(bit_count(hours_below_par))::integer from mart.ratio_days) as days
       from mart.vault_performance as performance`,
    ),
  ).toEqual([{ performance: 1, hourly: 1, days: 1 }])
})

const ratio = (vault_address: string, observed_at: string, adjusted_redeem_ratio: number) => ({
  vault_address,
  observed_at: `${observed_at}:00:00`,
  adjusted_redeem_ratio,
})

const yieldOf = (
  vault_address: string,
  date: string,
  apy: number,
  { days = 7, is_smoothed = false } = {},
) => ({ vault_address, date, is_smoothed, averaging_period_days: days, apy })

it("yield-three-ways: the ratio grows from close to close over the days that the service averages over", async () => {
  const rows = await answer("yield-three-ways", {
    "core.vaults": [vault("a")],
    "core.ratio_history": [
      ratio("a", "2026-01-01 05", 9),
      ratio("a", "2026-01-01 23", 1),
      ratio("a", "2026-01-06 23", 1.001),
    ],
    "core.apy_history": [
      yieldOf("a", "2026-01-06", 0.05, { days: 5, is_smoothed: true }),
      yieldOf("a", "2026-01-06", 0.07, { days: 5 }),
    ],
  })
  expect(rows).toHaveLength(1)
  expect(rows[0]).toMatchObject({ day: "2026-01-06", period_days: 5, apy_smoothed: 0.05 })
  expect(rows[0]?.["apy_from_ratio"]).toBeCloseTo(1.001 ** (365 / 5) - 1, 12)
  expect(rows[0]?.["smoothed_minus_unsmoothed"]).toBeCloseTo(-0.02, 12)
  expect(rows[0]?.["from_ratio_minus_unsmoothed"]).toBeCloseTo(0.00569129962219878, 12)
})

it("yield-three-ways: closes that are not so many days apart, missing or not above zero show no growth", async () => {
  const rows = await answer("yield-three-ways", {
    "core.vaults": ["a", "b", "c", "d"].map((address) => vault(address)),
    "core.ratio_history": [
      ratio("a", "2026-01-24 22", 1),
      ratio("a", "2026-01-25 23", 1),
      ratio("a", "2026-01-31 23", 1.001),
      ratio("a", "2026-02-01 00", 1.001),
      ratio("b", "2026-01-25 23", 1),
      ratio("b", "2026-02-01 16", 1.001),
      ratio("c", "2026-01-25 10", 1),
      ratio("c", "2026-02-01 23", 1.001),
      ratio("d", "2026-01-25 00", 1),
      ratio("d", "2026-02-01 00", 0),
    ],
    "core.apy_history": [
      yieldOf("a", "2026-01-31", 0.04),
      ...["a", "b", "c", "d"].map((address) => yieldOf(address, "2026-02-01", 0.04)),
    ],
  })
  const growth = Object.fromEntries(
    rows.map((row) => [`${String(row["vault_address"])} ${String(row["day"])}`, row]),
  )
  expect(growth["a 2026-01-31"]?.["apy_from_ratio"]).toBeCloseTo(0.053173955730799305, 12)
  expect(growth["a 2026-02-01"]?.["apy_from_ratio"]).toBeNull()
  expect(growth["b 2026-02-01"]?.["apy_from_ratio"]).toBeCloseTo(0.05588866730993636, 12)
  expect(growth["c 2026-02-01"]?.["apy_from_ratio"]).toBeNull()
  expect(growth["d 2026-02-01"]?.["apy_from_ratio"]).toBeNull()
})

it("return-after-fees: before and after fees are of the same days, those whose fees are known", async () => {
  const days = ["01", "02", "03", "04", "05", "06"].map((day) => `2026-05-${day}`)
  const given = {
    "core.vaults": [vault("a")],
    "core.ratio_history": days.map((day, at) => ({
      vault_address: "a",
      observed_at: `${day} 23:00:00`,
      actual_tvl: 1,
      tvl_on_vault: 1,
      adjusted_redeem_ratio: at === 5 ? 1.1 : 1,
    })),
    "core.apy_history": days.map((date) => ({
      vault_address: "a",
      date,
      is_smoothed: false,
      averaging_period_days: 7,
      apy: 0,
    })),
    "core.fees": [
      {
        chain_id: 1,
        vault_address: "a",
        management_fee_pct: 0,
        performance_fee_pct: 0,
        valid_from: "2026-01-01",
        valid_to: "2026-05-06 12:00:00",
        is_current: false,
      },
      { chain_id: 1, vault_address: "a", valid_from: "2026-05-06 12:00:00", is_current: true },
    ],
  }
  // Of 31 days in May: the first has no day before it, the sixth no fees, and the others have no figures.
  expect(await answer("return-after-fees", given)).toMatchObject([
    { days: "6", days_not_known: "27", before_fees: 0, after_fees: 0 },
  ])
  expect(await martExample("vault_returns")).toMatchObject([{ before_fees: 0, after_fees: 0 }])
})

it("return-after-fees: days are counted from the vault's first on, and up to yesterday", async () => {
  const days = ["2026-05-30", "2026-05-31", "2026-06-01"]
  const rows = await answer("return-after-fees", {
    "core.vaults": [vault("a")],
    "core.fees": [
      {
        chain_id: 1,
        vault_address: "a",
        management_fee_pct: 0,
        performance_fee_pct: 0,
        valid_from: "2026-01-01",
        is_current: true,
      },
    ],
    "core.ratio_history": days.map((day) => ratio("a", `${day} 23`, 1)),
    "core.apy_history": days.map((day) => yieldOf("a", day, 0)),
  })
  expect(rows.map(({ month, days_not_known }) => [month, days_not_known])).toEqual([
    ["2026-05-01", "1"],
    ["2026-06-01", "0"],
  ])
})

it.each(["Active", null])("a vault goes on with the status %s", async (status) => {
  const days = Array.from({ length: 92 }, (_, at) => shifted("2026-03-01", at))
  const given = {
    "core.vaults": [
      { ...vault("a"), status },
      { ...vault("b"), status: "Closed" },
    ],
    "core.ratio_history": days.flatMap((day, at) =>
      ["a", "b"].map((vault_address) => ({
        vault_address,
        observed_at: `${day} 23:00:00`,
        actual_tvl: 1,
        tvl_on_vault: 1,
        adjusted_redeem_ratio: at % 2 === 0 ? 1 : 1.01,
      })),
    ),
    "core.apy_history": days.flatMap((date) =>
      ["a", "b"].map((vault_address) => ({
        vault_address,
        date,
        is_smoothed: false,
        averaging_period_days: 7,
        apy: 0.1,
      })),
    ),
  }
  for (const name of ["net-apy-after-fees", "best-risk-adjusted"]) {
    expect((await answer(name, given)).map(({ vault_name }) => vault_name)).toEqual(["a"])
  }
})

it("fees-and-what-they-left: a weekly fee that was read before the other two is not the first fees", async () => {
  const rows = await answer("fees-and-what-they-left", {
    "core.vaults": [
      { ...vault("a"), weekly_performance_fee_bps: 25, valid_from: "2026-06-01 10:05:00" },
    ],
    "core.fees": [
      {
        chain_id: 1,
        vault_address: "a",
        management_fee_pct: 2,
        performance_fee_pct: 10,
        valid_from: "2026-06-02 03:00:00",
        is_current: true,
      },
    ],
    "core.apy_history": [yieldOf("a", "2026-05-01", 0.05)],
  })
  expect(rows).toMatchObject([{ management_fee_pct: 2, management_fee_change: null, days: "1" }])
})

it("weekly-report: the hours after a vault's figures stopped are missing, up to yesterday", async () => {
  const given = {
    "core.vaults": [vault("a"), vault("b")],
    "core.ratio_history": [ratio("a", "2026-05-27 00", 1), ratio("a", "2026-05-27 23", 1)],
    // No hour is expected of a vault that never had a ratio.
    "core.apy_history": [yieldOf("b", "2026-05-27", 0.05)],
  }
  const missing = async (parameters = {}) =>
    (await answer("weekly-report", given, parameters)).map(({ hours_missing }) => hours_missing)
  // Of 27 May 22 hours, and all of the five days up to 1 June.
  expect(await missing()).toEqual(["142", "0"])
  expect(await missing({ week_end: "2026-06-02" })).toEqual(["142", "0"])
})

it("weekly-report: a timelock that the audit log and the list of timelocks have is one event", async () => {
  const scheduled_at = "2026-05-30 09:00:00"
  const timelock = (timelock_id: string, rest = {}) => ({
    chain_id: 1,
    vault_address: "a",
    timelock_id,
    status: "scheduled",
    scheduled_at,
    valid_from: "2026-05-30 10:00:00",
    is_current: true,
    ...rest,
  })
  const given = {
    "core.vaults": [vault("a")],
    "core.apy_history": [yieldOf("a", "2026-05-30", 0.05)],
    "core.audit_log": ["1", "2"].map((id) => ({
      chain_id: 1,
      vault_address: "a",
      occurred_at: scheduled_at,
      type: "timelock_scheduled",
      summary: `Timelock ${id}`,
      occurrence: 1,
    })),
    "core.timelocks": [timelock("1", { executable_at: "2026-05-31 09:00:00" }), timelock("2")],
  }
  const rows = await answer("weekly-report", given)
  expect(rows.map((row) => row["governance_events"])).toEqual(["2"])
})

it("loans: tokens of one symbol are not one token, and an unknown amount is not nothing", async () => {
  const loan = (loan_id: string, principal_token_address: string, rest = {}) => ({
    loan_id,
    chain_id: 1,
    state: "ACTIVE",
    borrower_address: loan_id,
    principal_token_symbol: "USDC",
    principal_token_address,
    principal_amount: 100,
    apr: 0.1,
    upcoming_payment_amount: 5,
    upcoming_payment_due_at: "2026-06-10",
    is_current: true,
    ...rest,
  })
  const given = {
    "core.loans": [
      loan("l1", "t1"),
      loan("l2", "t2"),
      loan("l3", "t2", { upcoming_payment_amount: null, apr: null }),
      loan("l4", "t2"),
    ],
  }
  const due = await answer("loans-falling-due", given)
  expect(due.map(({ loan_id, running_amount }) => [loan_id, running_amount])).toEqual([
    ["l1", 5],
    ["l2", 5],
    ["l3", null],
    ["l4", null],
  ])
  const borrowers = await answer("borrower-concentration", given)
  expect(borrowers.map((row) => [row["borrower_address"], row["token"], row["share"]])).toEqual([
    ["l1", "USDC", 1],
    ["l2", "USDC", expect.closeTo(1 / 3, 12)],
    ["l3", "USDC", expect.closeTo(1 / 3, 12)],
    ["l4", "USDC", expect.closeTo(1 / 3, 12)],
  ])
  const onTwoChains = {
    "core.loans": [loan("l1", "t"), loan("l2", "t", { principal_token_chain_id: 56 })],
  }
  const shares = await answer("borrower-concentration", onTwoChains)
  expect(shares.map((row) => [row["borrower_address"], row["chain_id"], row["share"]])).toEqual([
    ["l1", "1", 1],
    ["l2", "56", 1],
  ])
  const payments = await answer("loans-falling-due", onTwoChains)
  expect(payments.map((row) => [row["loan_id"], row["chain_id"], row["running_amount"]])).toEqual([
    ["l1", "1", 5],
    ["l2", "56", 5],
  ])
  const undated = {
    "core.loans": [loan("l1", "t", { upcoming_payment_due_at: null }), loan("l2", "t")],
  }
  const withoutDate = await answer("loans-falling-due", undated)
  expect(withoutDate.map(({ loan_id, due_at }) => [loan_id, due_at === null])).toEqual([
    ["l2", false],
    ["l1", true],
  ])
  await putGiven(warehouse.connection, given)
  expect(await martExample("loan_book")).toMatchObject([
    { principal: 300, apr_by_principal: expect.closeTo(0.1, 12) },
    { principal: 100, apr_by_principal: expect.closeTo(0.1, 12) },
  ])
  const unknown = loan("l5", "t2", { principal_amount: null })
  await putGiven(warehouse.connection, { "core.loans": [...given["core.loans"], unknown] })
  expect(await martExample("loan_book")).toMatchObject([
    { principal_token_address: "t1", principal: 100 },
    { principal_token_address: "t2", principal: null },
  ])
})

it("trust-before-use: hours that the service has no point of are no holes, and hide no contradiction", async () => {
  const points = (vault_address: string) =>
    [8, 10, 11, 12].map((hour) => ({
      vault_address,
      observed_at: `2026-06-02 ${String(hour).padStart(2, "0")}:00:00`,
      adjusted_redeem_ratio: 1,
    }))
  const read = (vault_address: string) => ({
    pipeline: "ratio_history",
    entity: vault_address,
    vault_address,
    outcome: "loaded",
    covers_to: "2026-06-02",
    finished_at: "2026-06-02 12:30:00",
  })
  const snapshot = { chain_id: 1, snapshot_at: "2026-06-02 10:00:00", reported_tvl: 100 }
  const rows = await answer("trust-before-use", {
    "core.vaults": [vault("empty"), vault("missing")],
    "core.ratio_history": [...points("empty"), ...points("missing")],
    "core.position_snapshots": [{ ...snapshot, vault_address: "empty", total_nav: 130 }],
    "ops.tasks": [read("empty")],
  })
  expect(
    rows
      .filter(({ series }) => series === "ratio")
      .map((row) => [row["vault_name"], row["verdict"], row["share_present"]]),
  ).toEqual([
    ["empty", "contradicted", 0.8],
    ["missing", "holes", 0.8],
  ])
})
