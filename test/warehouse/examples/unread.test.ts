// What the service could not read is unknown in the answers too, on rows written down here.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { CATALOG } from "../../../src/load/sql/sql.ts"
import { subaccountLoanAggregates } from "../../../src/transform/tables/subaccounts/subaccount_loan_aggregates.ts"
import { openWarehouse, putGiven, type TestWarehouse } from "../support.ts"

let warehouse: TestWarehouse
beforeAll(async () => {
  warehouse = await openWarehouse()
  await warehouse.connection.run(`USE ${CATALOG}`)
})
afterAll(() => warehouse.close())

const answer = async (name: string, given: Parameters<typeof putGiven>[1]) => {
  await putGiven(warehouse.connection, given)
  const file = join(import.meta.dirname, `../../../warehouse/examples/${name}.sql`)
  const sql = readFileSync(file, "utf8")
  const reader = await warehouse.connection.runAndReadAll(sql)
  return reader.getRowObjectsJson()
}

const vault = (address: string) => ({
  chain_id: 1,
  vault_address: address,
  vault_name: address,
  is_current: true,
})

it("who can act alone is unknown while the service warns that it could not read the roles", async () => {
  const holder = { chain_id: 1, role: "owner", holder_address: "h", is_current: true }
  const rows = await answer("who-can-act-alone", {
    "core.vaults": [vault("a"), vault("b")],
    "core.roles": [
      { ...holder, vault_address: "a", is_safe: false },
      { ...holder, vault_address: "b", is_safe: false },
    ],
    "core.observation_warnings": [
      { endpoint: "roles", chain_id: 1, vault_address: "a", warning: "x", is_current: true },
      { endpoint: "roles", chain_id: 1, vault_address: "b", warning: "y", is_current: false },
    ],
  })
  expect(
    rows.map(({ vault_name, acts_alone, warnings }) => [vault_name, acts_alone, warnings]),
  ).toEqual([
    ["b", true, null],
    ["a", null, "x"],
  ])
})

it("an upcoming timelock is ordered by its delay, or last where it has none", async () => {
  const timelock = { chain_id: 1, vault_address: "a", status: "scheduled", is_current: true }
  const scheduled = { ...timelock, scheduled_at: "2020-01-01" }
  const rows = await answer("timelocks-about-to-fire", {
    "core.vaults": [vault("a")],
    "core.timelocks": [
      { ...scheduled, timelock_id: "unknown" },
      { ...scheduled, timelock_id: "theirs" },
      { ...scheduled, timelock_id: "own", delay_seconds: 3600 },
      { ...scheduled, timelock_id: "delayed", delay_seconds: 1, executable_at: "2020-01-05" },
    ],
    "core.timelock_requests": [{ ...timelock, timelock_id: "theirs", delay_seconds: 86_400 }],
  })
  expect(
    rows.map(({ timelock_id, executable_at, is_reported }) => [
      timelock_id,
      executable_at,
      is_reported,
    ]),
  ).toEqual([
    ["own", "2020-01-01 01:00:00", false],
    ["theirs", "2020-01-02 00:00:00", false],
    ["delayed", "2020-01-05 00:00:00", true],
    ["unknown", null, false],
  ])
})

it("a vault's classes have no shares while one of its positions has no value", async () => {
  const position = { chain_id: 1, vault_address: "a", date: "2026-01-01" }
  const complete = { ...position, vault_address: "b" }
  const rows = await answer("pricing-quality", {
    "core.vaults": [vault("a"), vault("b")],
    "core.oracle_classification": [
      { ...position, position_id: "x", pricing_class: "Primary", usd_value: 100 },
      { ...position, position_id: "y", pricing_class: "Secondary", usd_value: 25 },
      { ...position, position_id: "z", pricing_class: "CeFi", usd_value: null },
      { ...complete, position_id: "x", pricing_class: "Primary", usd_value: 100 },
      { ...complete, position_id: "y", pricing_class: "Secondary", usd_value: 25 },
    ],
  })
  expect(
    rows.map(({ vault_name, pricing_class, share }) => [vault_name, pricing_class, share]),
  ).toEqual([
    ["a", "Primary", null],
    ["a", "Secondary", null],
    ["a", "CeFi", null],
    ["b", "Primary", 0.8],
    ["b", "Secondary", 0.2],
  ])
})

it("a margin's coverage is of the requirements that have both figures, as its shortfall is", async () => {
  const margin = { otc_counterparty_id: "c", is_current: true }
  const rows = await answer("otc-counterparties", {
    "core.otc_margin_requirements": [
      { ...margin, requirement_id: "x", required: 100, posted: 50 },
      { ...margin, requirement_id: "y", required: null, posted: 100 },
    ],
  })
  expect(rows).toMatchObject([
    { counterparty_id: "c", required: null, posted: 150, shortfall: 50, coverage: 0.5 },
  ])
})

it("a queue has no sum while one of its requests has no amount", async () => {
  const request = { chain_id: 1, recipient_address: "r", is_current: true }
  const rows = await answer("buffer-against-the-queue", {
    "core.vaults": [vault("a"), vault("b")],
    "core.withdrawal_requests": [
      { ...request, vault_address: "a", request_id: "1", amount: 10 },
      { ...request, vault_address: "a", request_id: "2" },
      { ...request, vault_address: "b", request_id: "1", amount: 10 },
      { ...request, vault_address: "b", request_id: "2", amount: 5 },
    ],
  })
  expect(rows).toMatchObject([
    { vault_address: "a", requests_amount: null },
    { vault_address: "b", requests_amount: 15 },
  ])
})

it("a band has no shortfall while one of its subaccounts has an unknown collateral", async () => {
  const factor = { calculated_at: "2026-01-01", health_factor: 1.1, total_loan: 100 }
  const rows = async (collateral: number | null) =>
    answer("liquidation-stress", {
      "core.health_factors": [
        { ...factor, subaccount_address: "s1", total_collateral: 110 },
        { ...factor, subaccount_address: "s2", total_collateral: collateral },
      ],
    })
  expect(await rows(110)).toMatchObject([{ subaccounts: "2", debt_usd: 200, shortfall_usd: 24 }])
  expect(await rows(null)).toMatchObject([{ subaccounts: "2", debt_usd: 200, shortfall_usd: null }])
})

it("the loan books of summaries: tokens of one symbol are not one, and an unknown amount is not nothing", async () => {
  const aggregate = { chain_id: 1, token_address: "t", symbol: "T", is_current: true }
  await putGiven(warehouse.connection, {
    "core.subaccount_loan_aggregates": [
      { ...aggregate, subaccount_address: "s1", ordinal: 0, credit: 10, debt: 1 },
      { ...aggregate, subaccount_address: "s2", ordinal: 0, credit: 5, debt: null },
      { ...aggregate, subaccount_address: "s2", ordinal: 1, chain_id: 10, credit: 7, debt: 0 },
      {
        ...aggregate,
        subaccount_address: "s2",
        ordinal: 2,
        token_address: "u",
        credit: 3,
        debt: 2,
      },
    ],
  })
  const reader = await warehouse.connection.runAndReadAll(
    `from (${subaccountLoanAggregates.example}) order by chain_id, token_address`,
  )
  expect(reader.getRowObjectsJson()).toMatchObject([
    { chain_id: "1", token_address: "t", credit: 15, debt: null },
    { chain_id: "1", token_address: "u", credit: 3, debt: 2 },
    { chain_id: "10", token_address: "t", credit: 7, debt: 0 },
  ])
})

it("no borrower has a share of a token's loans while one of them has no principal", async () => {
  const loan = { chain_id: 1, state: "ACTIVE", is_current: true }
  const rows = await answer("borrower-concentration", {
    "core.loans": [
      {
        ...loan,
        loan_id: "1",
        principal_token_symbol: "T",
        borrower_address: "a",
        principal_amount: 30,
      },
      { ...loan, loan_id: "2", principal_token_symbol: "T", borrower_address: "b" },
      {
        ...loan,
        loan_id: "3",
        principal_token_symbol: "U",
        borrower_address: "a",
        principal_amount: 30,
      },
      {
        ...loan,
        loan_id: "4",
        principal_token_symbol: "U",
        borrower_address: "b",
        principal_amount: 10,
      },
      // Of tokens that are not known.
      { ...loan, loan_id: "5", borrower_address: "c", principal_amount: 30, apr: 0.1 },
      { ...loan, loan_id: "6", borrower_address: "c", principal_amount: 10, apr: 0.2 },
    ],
  })
  expect(
    rows.map((row) => [
      row["token"],
      row["borrower_address"],
      row["principal"],
      row["share"],
      row["running_share"],
    ]),
  ).toEqual([
    ["T", "a", 30, null, null],
    ["T", "b", null, null, null],
    ["U", "a", 30, 0.75, 0.75],
    ["U", "b", 10, 0.25, 1],
    [null, "c", null, null, null],
  ])
  expect(rows.at(-1)).toMatchObject({ loans: "2", mean_apr: null })
})

it("no recipient has a share of a queue while one of its requests has no amount", async () => {
  const request = { chain_id: 1, is_current: true }
  const rows = await answer("whales-in-the-queue", {
    "core.withdrawal_requests": [
      { ...request, vault_address: "a", request_id: "1", recipient_address: "r", amount: 10 },
      { ...request, vault_address: "a", request_id: "2", recipient_address: "s", amount: 1 },
      { ...request, vault_address: "a", request_id: "3", recipient_address: "s" },
      { ...request, vault_address: "b", request_id: "1", recipient_address: "r", amount: 90 },
      { ...request, vault_address: "b", request_id: "2", recipient_address: "s", amount: 10 },
    ],
  })
  const found = rows.map((row) => [
    row["vault_address"],
    row["recipient_address"],
    row["amount"],
    row["share_of_queue"],
  ])
  expect(found).toHaveLength(3)
  expect(found).toEqual(
    expect.arrayContaining([
      ["a", "r", 10, null],
      ["a", "s", null, null],
      ["b", "r", 90, 0.9],
    ]),
  )
})

it("returns of ratio and APY that end on different days are not multiplied, and the answer says so", async () => {
  const day = (at: number) => new Date(Date.UTC(2026, 0, 1 + at)).toISOString().slice(0, 10)
  const ninety = Array.from({ length: 91 }, (_, at) => at)
  const vaults = ["ends apart", "ends together"]
  const rows = await answer("best-risk-adjusted", {
    "core.vaults": vaults.map((each) => ({ ...vault(each), status: "active" })),
    "core.ratio_history": vaults.flatMap((each) =>
      ninety.map((at) => ({
        vault_address: each,
        observed_at: `${day(at)} 10:00:00`,
        actual_tvl: 1,
        adjusted_redeem_ratio: 1 + (at % 2) / 100,
      })),
    ),
    "core.apy_history": vaults.flatMap((each) =>
      ninety.map((at) => ({
        vault_address: each,
        date: day(each === "ends apart" ? at - 40 : at),
        is_smoothed: false,
        averaging_period_days: 7,
        apy: 0.05,
      })),
    ),
  })
  expect(rows).toMatchObject([
    {
      vault_name: "ends together",
      place: "1",
      to_on: day(90),
      apy_to_on: day(90),
      missing_reason: null,
    },
    {
      vault_name: "ends apart",
      place: null,
      to_on: day(90),
      apy_to_on: day(50),
      annual_return: null,
      sharpe: null,
      missing_reason: `the APY ends on ${day(50)}, the ratio on ${day(90)}`,
    },
  ])
})
