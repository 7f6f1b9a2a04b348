// What the pages and reports read, on rows written down here.
import { afterAll, beforeAll, expect, it } from "vitest"
import type { DuckDBValue } from "@duckdb/node-api"
import { CATALOG } from "../../src/load/sql/sql.ts"
import { sqlFile } from "../../src/pipelines/readers/published.ts"
import { openWarehouse, putGiven, stopClock, type TestWarehouse } from "./support.ts"

let warehouse: TestWarehouse
beforeAll(async () => {
  warehouse = await openWarehouse()
  await warehouse.connection.run(`USE ${CATALOG}`)
})
afterAll(() => warehouse.close())

const rowsOf = async (
  name: string,
  given: Parameters<typeof putGiven>[1],
  { now, ...parameters }: { readonly now: string } & Readonly<Record<string, DuckDBValue>>,
) => {
  await putGiven(warehouse.connection, given)
  await stopClock(warehouse.connection, now)
  const reader = await warehouse.connection.runAndReadAll(sqlFile("serve", name), parameters)
  return reader.getRowObjectsJson()
}

const vault = {
  chain_id: 1,
  vault_address: "a",
  vault_name: "Alpha",
  status: "active",
  is_current: true,
}

it("a report's PnL begins with the close of the day before its period, else with the first in it", async () => {
  const closes = (address: string, each: Readonly<Record<string, number>>) =>
    Object.entries(each).map(([day, pnl]) => ({
      vault_address: address,
      snapshot_at: `${day} 09:00:00`,
      unrealized_pnl: pnl,
    }))
  const rows = await rowsOf(
    "report_figures",
    {
      "core.vaults": [vault, { ...vault, vault_address: "b" }],
      "core.pnl_history": [
        ...closes("a", { "2026-01-01": 100, "2026-03-05": 1100, "2026-03-31": 1150 }),
        ...closes("b", { "2026-02-27": 1, "2026-02-28": 2, "2026-03-01": 4 }),
      ],
    },
    { now: "2026-04-10", before_on: "2026-01-29", from_on: "2026-03-01", to_on: "2026-04-01" },
  )
  const found = rows
    .filter((row) => row["pnl_change_usd"] !== null)
    .map((row) => [row["vault_address"], row["is_period"], row["pnl_change_usd"], row["pnl_days"]])
  expect(found).toHaveLength(3)
  expect(found).toEqual(
    expect.arrayContaining([
      ["a", true, 50, 26],
      ["b", true, 2, 1],
      ["b", false, 1, 1],
    ]),
  )
})

/** A ratio point in each hour of these days. */
const hoursOf = (...days: ReadonlyArray<string>) =>
  days.flatMap((day) =>
    Array.from({ length: 24 }, (_, at) => ({
      vault_address: "a",
      observed_at: `${day} ${String(at).padStart(2, "0")}:00:00`,
      actual_tvl: 1,
      adjusted_redeem_ratio: 1,
    })),
  )

it("a report says of how many days its hours are, where a vault's figures stopped", async () => {
  const rows = await rowsOf(
    "report_figures",
    {
      "core.vaults": [vault],
      "core.ratio_history": hoursOf("2026-01-01", "2026-01-02"),
    },
    { now: "2026-01-10", before_on: "2025-12-25", from_on: "2026-01-01", to_on: "2026-01-08" },
  )
  expect(rows).toMatchObject([{ is_period: true, share_of_hours_present: 1, hours_days: 2 }])
})

it("a report says nothing of the days of hours that were expected on all of them, and missing on some", async () => {
  const rows = await rowsOf(
    "report_figures",
    {
      "core.vaults": [vault],
      "core.ratio_history": hoursOf("2025-12-31", "2026-01-04", "2026-01-05"),
    },
    { now: "2026-01-10", before_on: "2025-12-27", from_on: "2026-01-01", to_on: "2026-01-06" },
  )
  expect(rows.find((row) => row["is_period"] === true)).toMatchObject({
    share_of_hours_present: 0.4,
    hours_days: 5,
  })
})

it("a report gives each vault of one address its own net asset value", async () => {
  const rows = await rowsOf(
    "report_figures",
    {
      "core.vaults": [vault, { ...vault, chain_id: 8453 }],
      "core.ratio_history": [
        { vault_address: "a", observed_at: "2026-01-02", actual_tvl: 1, adjusted_redeem_ratio: 1 },
      ],
      "core.position_snapshots": [
        { chain_id: 1, vault_address: "a", snapshot_at: "2026-01-02 10:00:00", total_nav: 1000 },
        { chain_id: 8453, vault_address: "a", snapshot_at: "2026-01-02 11:00:00", total_nav: 50 },
      ],
    },
    { now: "2026-01-10", before_on: "2026-01-01", from_on: "2026-01-02", to_on: "2026-01-03" },
  )
  const found = rows.map((row) => [row["chain_id"], row["nav_usd"], row["collateral_ratio"]])
  expect(found).toHaveLength(2)
  expect(found).toEqual(
    expect.arrayContaining([
      ["1", 1000, 1],
      ["8453", 50, 1],
    ]),
  )
})

it("the days of a vault have no net value of another one of its address", async () => {
  const given = {
    "core.vaults": [vault, { ...vault, chain_id: 8453 }],
    "core.ratio_history": [
      { vault_address: "a", observed_at: "2026-01-02", actual_tvl: 1, adjusted_redeem_ratio: 1 },
    ],
    "core.position_snapshots": [
      { chain_id: 1, vault_address: "a", snapshot_at: "2026-01-02 10:00:00", total_nav: 1000 },
    ],
  }
  const daysOf = async (chain: number) => {
    const rows = await rowsOf("vault_days", given, {
      now: "2026-01-10",
      chain_id: chain,
      vault_address: "a",
    })
    return rows
      .filter((row) => row["day"] === "2026-01-02")
      .map((row) => [row["nav_usd"], row["collateral_ratio_close"]])
  }
  expect([await daysOf(1), await daysOf(8453)]).toEqual([[[1000, 1]], [[null, 1]]])
})

it("an overdue payment within one vault is one", async () => {
  const rows = await rowsOf(
    "troubles",
    {
      "core.vaults": [vault],
      "core.vault_subaccounts": [
        { vault_address: "a", subaccount_address: "s", is_current: true },
        { vault_address: "a", subaccount_address: "t", is_current: true },
      ],
      "core.loans": [
        {
          loan_id: "l",
          chain_id: 1,
          state: "ACTIVE",
          borrower_address: "s",
          lender_address: "t",
          upcoming_payment_amount: 1,
          upcoming_payment_due_at: "2026-01-10 09:00:00",
          is_current: true,
        },
      ],
    },
    { now: "2026-01-10 12:00:00" },
  )
  expect(rows.filter(({ kind }) => kind === "overdue_payment").map(({ words }) => words)).toEqual([
    "loan payment overdue for 3 h",
  ])
})

it("a vault below par is in trouble until it has been redeemed in full", async () => {
  const at = (hour: number, actual_tvl: number, tvl_on_vault: number, ratio: number) => ({
    vault_address: "a",
    observed_at: `2026-01-10 ${hour}:00:00`,
    actual_tvl,
    tvl_on_vault,
    adjusted_redeem_ratio: ratio,
  })
  const kinds = async (...points: ReadonlyArray<ReturnType<typeof at>>) => {
    const given = { "core.vaults": [vault], "core.ratio_history": points }
    const rows = await rowsOf("troubles", given, { now: "2026-01-10 12:30:00" })
    return rows.map(({ kind }) => kind)
  }
  const below = at(10, 97, 100, 0.97)
  expect(await kinds(below)).toContain("below_par")
  expect(await kinds(below, at(11, 1.2, 0, 0))).not.toContain("below_par")
})

it("a figure that contradicts one of 0 has no share by which it does", async () => {
  const rows = await rowsOf(
    "troubles",
    {
      "core.vaults": [vault],
      "core.withdrawal_summaries": [
        {
          chain_id: 1,
          vault_address: "a",
          total_withdrawals: 0,
          total_assets: 100,
          pending_requests: 1,
          is_current: true,
        },
      ],
      "core.withdrawal_requests": [
        { chain_id: 1, vault_address: "a", request_id: "x", amount: 5, is_current: true },
      ],
    },
    { now: "2026-01-10 12:00:00" },
  )
  expect(rows.filter(({ kind }) => kind === "contradiction").map(({ words }) => words)).toEqual([
    "1 figure contradicts another",
  ])
})

it("the TVL of the vault list, which may be in anything, is not one in USD", async () => {
  const rows = await rowsOf(
    "overview",
    {
      "core.vaults": [vault, { ...vault, vault_address: "b", vault_name: "Beta" }],
      "core.vault_reported_metrics": [
        { chain_id: 1, vault_address: "a", latest_reported_tvl: 7, is_current: true },
        { chain_id: 1, vault_address: "b", latest_reported_tvl: 7, is_current: true },
      ],
      "core.position_snapshots": [
        { chain_id: 1, vault_address: "b", snapshot_at: "2026-01-02 10:00:00", total_nav: 1000 },
      ],
    },
    { now: "2026-01-03" },
  )
  expect(rows).toMatchObject([
    { vault_address: "a", tvl_usd: null, reported_tvl: 7 },
    { vault_address: "b", tvl_usd: 1000 },
  ])
})

it.each(["Active", null])("a late series of a vault is one, with the status %s", async (status) => {
  const rows = await rowsOf(
    "troubles",
    {
      "core.vaults": [{ ...vault, chain_type: "evm", status }],
      "core.ratio_history": [{ vault_address: "a", observed_at: "2026-01-01 00:00:00" }],
      "ops.tasks": [
        {
          run_id: "r",
          pipeline: "ratio_history",
          entity: "a",
          vault_address: "a",
          outcome: "unchanged",
          finished_at: "2026-01-03 02:00:00",
        },
      ],
    },
    { now: "2026-01-03 03:00:00" },
  )
  expect(rows.map(({ kind, words }) => [kind, words])).toContainEqual([
    "stale",
    "collateral ratio series stale for 2 d",
  ])
  // As `health.ts` puts it together.
  const health = await warehouse.connection.runAndReadAll(
    `with freshness_targets as (from mart.freshness_targets), apy_series as (from mart.apy_series),
       vault_names as (from mart.vault_names)
     from (${sqlFile("health", "freshness")})`,
  )
  expect(health.getRowObjectsJson()).toMatchObject([
    { subject: "ratio", newest_at: "2026-01-01 00:00:00", entities: "1" },
  ])
})

it("a gap that names its chain is that of the vault there, and one that names none that of the address", async () => {
  const gap = (vault_name: string, day: string, chain_id: number | null) => ({
    pipeline: "allocation_history",
    entity: chain_id === 10 ? "a@10" : "a",
    vault_address: "a",
    chain_id,
    from_at: `2026-01-0${day}`,
    to_at: `2026-01-0${day}`,
    reason: "failed",
    state: "permanent",
    detail: vault_name,
  })
  await putGiven(warehouse.connection, {
    "core.vaults": [vault, { ...vault, chain_id: 10, vault_name: "Beta", is_current: false }],
    "ops.gaps": [gap("Alpha", "1", 1), gap("Beta", "3", 10), gap("Alpha", "5", null)],
  })
  const shown = await warehouse.connection.runAndReadAll(sqlFile("serve", "data_gaps"))
  const rows = shown.getRowObjectsJson()
  expect(rows).toHaveLength(3)
  for (const row of rows) expect(row["vault_name"]).toBe(row["detail"])
})

it("gaps of two vaults at one address are not one range, even if both have one name", async () => {
  const gap = (chain_id: number, day: string) => ({
    pipeline: "allocation_history",
    entity: `a@${chain_id}`,
    vault_address: "a",
    chain_id,
    from_at: `2026-01-0${day}`,
    to_at: `2026-01-0${day}`,
    reason: "failed",
    state: "permanent",
    detail: "it broke",
  })
  const rangesOf = async (other: string) => {
    await putGiven(warehouse.connection, {
      "core.vaults": [vault, { ...vault, chain_id: 10, vault_name: other }],
      "ops.gaps": [gap(1, "1"), gap(10, "2")],
    })
    // As `health.ts` puts it together.
    const found = await warehouse.connection.runAndReadAll(
      `with listed as (${sqlFile("health", "listed")}), read_lately as (${sqlFile("health", "read_lately")})
       from (${sqlFile("health", "gaps")})`,
    )
    return found.getRowObjectsJson().map((row) => [row["entities"], row["ranges"]])
  }
  expect(await rangesOf("Beta")).toEqual([["2", ["Alpha 2026-01-01", "Beta 2026-01-02"]]])
  expect(await rangesOf("Alpha")).toEqual([["2", ["Alpha 2026-01-01", "Alpha 2026-01-02"]]])
})
