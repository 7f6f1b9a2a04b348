// Figures the document gives no names for, under each name a service ordinarily gives them: they reach the
// typed column, a second name of the same figure stays in `extra`, and what is of another type is kept there.
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import type { JsonObject } from "../../src/domain/json.ts"
import type { Table } from "../../src/domain/table.ts"
import { mapCurrent } from "../../src/transform/mapCurrent.ts"
import type { MappedAnswer } from "../../src/transform/Source.ts"
import {
  cefiPositionRows,
  protocolPositionRows,
  subaccountOtcPositionRows,
} from "../../src/transform/tables/subaccounts/positionRecords.ts"
import { mySubaccountRows } from "../../src/transform/tables/subaccounts/subaccountRecords.ts"
import { loanRows } from "../../src/transform/tables/loans/loans.ts"
import { otcMarginRequirementRows } from "../../src/transform/tables/otc/otc_margin_requirements.ts"
import { otcPositionRows } from "../../src/transform/tables/otc/otc_positions.ts"
import { subaccountPortfolioPositions } from "../../src/transform/tables/subaccounts/subaccount_portfolio_positions.ts"
import { subaccountTokens } from "../../src/transform/tables/subaccounts/subaccount_tokens.ts"
import { vaultDetailRows } from "../../src/transform/tables/vaults/vaultDetailRecords.ts"

const address = `0x${"ab".repeat(20)}`
const origin = { responseId: "r", receivedAt: 1_780_000_000_000_000 }
const source = <S>(subject: S) => ({ origin, subject, inputs: {}, timeFields: [] })
const subaccount = source({ address, served: address })
const vault = source({
  address,
  served: address,
  chainId: 1,
  kind: "evm" as const,
  startedOn: undefined,
})

interface Read {
  readonly row: Readonly<Record<string, unknown>>
  readonly extra: JsonObject | null
  readonly drift: ReadonlyArray<string>
}

/** The only row of the first table. */
const first = ({ rows, drift }: MappedAnswer): Read => {
  const [only] = rows
  expect(only?.length).toBe(1)
  const row = Object.fromEntries(
    only?.table.columns.map(({ name }, column) => [name, only.columns[column]?.[0] ?? null]) ?? [],
  )
  const { extra } = row
  return {
    row,
    extra: typeof extra === "string" ? (JSON.parse(extra) as JsonObject) : null,
    drift: drift.map(({ kind, path }) => `${kind} ${path}`),
  }
}

const bare = (table: Table) => (record: JsonObject) => {
  const { rows, drift } = mapCurrent({ table, records: [record], origin, computed: {} })
  return Result.succeed({ rows: [rows], drift })
}

const readers = {
  cefi: (record) => cefiPositionRows([record], subaccount),
  protocol: (record) => protocolPositionRows([record], subaccount),
  subaccountOtc: (record) => subaccountOtcPositionRows([record], subaccount),
  otc: (record) => otcPositionRows([record], source(null)),
  margin: (record) => otcMarginRequirementRows([record], source(null)),
  loan: (record) => loanRows([record], source(null)),
  token: bare(subaccountTokens),
  portfolio: bare(subaccountPortfolioPositions),
  subaccount: (record) => mySubaccountRows([{ address, ...record }], source(null)),
  vault: (record) => vaultDetailRows(record, vault),
} satisfies Record<
  string,
  (record: JsonObject) => Result.Result<MappedAnswer, { readonly detail: string }>
>

const read = (kind: keyof typeof readers, record: JsonObject): Read =>
  first(Result.getOrThrow<MappedAnswer, unknown>(readers[kind](record)))

const usdValue =
  "value usd_value usdValue value_usd valueUsd amount_usd amountUsd mark_usd markUsd market_value marketValue balance_usd balanceUsd"
const balance = "balance amount quantity units size"
const rawBalance =
  "raw_balance rawBalance amount_raw amountRaw balance_raw balanceRaw raw_amount rawAmount"
const price = "price price_usd priceUsd mark_price markPrice"
const part = (name: string): string =>
  ["_usd_value", "UsdValue", "_value_usd", "ValueUsd", "_value", "Value", "_usd", "Usd"]
    .map((ending) => `${name}${ending}`)
    .join(" ")
const noon = Date.UTC(2026, 4, 1, 12) * 1000
const instant = "2026-05-01T12:00:00Z"
const instrument = "symbol instrument instrument_name instrumentName name"
const counterparty =
  "counterparty counterparty_id counterpartyId otc_counterparty_id otcCounterpartyId counterparty_name"
const expiry = "expiry expiry_date expiryDate expires_at expiresAt expiration expiration_date"

type Case = readonly [
  kinds: ReadonlyArray<keyof typeof readers>,
  column: string,
  names: string,
  served: unknown,
  value: unknown,
]

const cases: ReadonlyArray<Case> = [
  [["cefi", "protocol", "subaccountOtc", "otc", "token", "portfolio"], "value", usdValue, 5, 5],
  [["protocol", "token", "portfolio"], "balance", balance, 1.5, 1.5],
  [["protocol", "token", "portfolio"], "raw_balance", rawBalance, "1500000", "1500000"],
  [["protocol", "token"], "price", price, 2, 2],
  [["protocol", "portfolio"], "asset_usd_value", part("asset"), 5, 5],
  [["protocol", "portfolio"], "debt_usd_value", part("debt"), 2, 2],
  [["protocol", "portfolio"], "net_usd_value", part("net"), 3, 3],
  [["otc", "subaccountOtc"], "symbol", instrument, "BTC-C", "BTC-C"],
  [["portfolio"], "name", "name instrument instrumentName", "BTC-C", "BTC-C"],
  [["otc", "subaccountOtc"], "counterparty_id", counterparty, "c", "c"],
  [["margin"], "otc_counterparty_id", counterparty, "c", "c"],
  [["otc", "subaccountOtc"], "notional", "notional notional_amount notionalAmount", 7, 7],
  [["otc", "subaccountOtc"], "notional_usd", "notional_usd notionalUsd", 7, 7],
  [["otc", "subaccountOtc"], "strike", "strike strike_price strikePrice", 7, 7],
  [["otc", "subaccountOtc"], "expiry", expiry, instant, noon],
  [["margin"], "required", "required required_usd requiredUsd required_margin", 7, 7],
  [["margin"], "posted", "posted posted_usd postedUsd posted_margin marginPosted", 7, 7],
  [
    ["loan"],
    "deployed_at",
    "deployed_date deployedDate start_date startDate started_at startedAt created_at createdAt",
    instant,
    noon,
  ],
  [
    ["loan"],
    "matures_at",
    "maturity_date maturityDate end_date endDate due_date dueDate matures_at maturesAt",
    instant,
    noon,
  ],
  [["loan"], "late_apr", "late_apr lateApr", 0.2, 0.2],
  [["loan"], "principal_amount", "principal_amount principalAmount principal", 7, 7],
  [["subaccount"], "min_health_factor", "min_health_factor minHealthFactor", 1.2, 1.2],
]

const each = cases.flatMap(([kinds, column, names, served, value]) =>
  kinds.flatMap((kind) =>
    names.split(" ").map((name) => [kind, name, column, served, value] as const),
  ),
)

describe("a figure under an ordinary name", () => {
  it.each(each)("%s: %s is %s", (kind, name, column, served, value) => {
    const { row, extra, drift } = read(kind, { id: "a", [name]: served })
    expect(row[column]).toBe(value)
    expect(extra ?? {}).not.toHaveProperty(name)
    expect(drift).not.toContain(`unknown_field $.${name}`)
  })

  it("of two names one is taken, and the other is kept", () => {
    expect(read("token", { markPrice: 3, price: 2, balance: 1, amount: 4 })).toMatchObject({
      row: { price: 2, balance: 1 },
      extra: { markPrice: 3, amount: 4 },
    })
    expect(read("otc", { id: "a", value: 2, valueUsd: 3 })).toMatchObject({
      row: { value: 3, value_unit: "USD" },
      extra: { value: 2 },
    })
  })

  it("an amount beside the same normalized is no balance", () => {
    const { row, extra } = read("token", { amount: 5_000_000_000, amountNormalized: 5000 })
    expect(row["balance"]).toBe(5000)
    expect(extra).toEqual({ amount: 5_000_000_000 })
  })

  it("a raw amount in text is no balance", () => {
    const { row, extra, drift } = read("token", { amount: "1500000", decimals: 6 })
    expect(row["balance"]).toBe(null)
    expect(extra).toEqual({ amount: "1500000" })
    expect(drift).toEqual(["other_type $.amount"])
  })
})

describe("the unit a name tells", () => {
  it.each([
    ["margin", { requiredUsd: 5, posted: 4 }, { required_unit: "USD", posted_unit: null }],
    ["margin", { required: 5, posted_usd: "4" }, { required_unit: null, posted_unit: "USD" }],
    // What is no number is not the figure taken.
    ["margin", { required_usd: "much", required: 5 }, { required: 5, required_unit: null }],
    ["otc", { mark_usd: 5 }, { value_unit: "USD" }],
    ["otc", { value: 5 }, { value_unit: null }],
  ] as const)("%s: %j", (kind, record, expected) => {
    expect(read(kind, { id: "a", ...record }).row).toMatchObject(expected)
  })
})

describe("a figure within a record", () => {
  it.each(["risk_metadata", "riskMetadata"])("the least health factor in %s", (place) => {
    for (const name of ["min_health_factor", "minHealthFactor"]) {
      const metadata = { [name]: 1.3, tier: "a" }
      const { row, extra } = read("subaccount", { [place]: metadata })
      expect(row["min_health_factor"]).toBe(1.3)
      expect(extra).toEqual({ [place]: metadata })
      // The subaccount's own comes first.
      const own = read("subaccount", { [place]: metadata, min_health_factor: 1.1 })
      expect(own.row["min_health_factor"]).toBe(1.1)
    }
  })

  it.each(["fee_structure", "feeStructure", "fees"])("the fees of a vault in %s", (place) => {
    for (const structure of [
      { management_fee_pct: 1.5, performance_fee_pct: 10 },
      { managementFeePct: 1.5, performanceFeePct: 10 },
    ]) {
      const { row, extra } = read("vault", { vault_name: "A", [place]: structure })
      expect(row).toMatchObject({ management_fee_pct: 1.5, performance_fee_pct: 10 })
      expect(JSON.parse(String(row["fee_structure"]))).toEqual(structure)
      expect(extra).toBe(null)
    }
  })

  it("fees beside the structure, and in another unit", () => {
    expect(read("vault", { managementFeePct: 2, performance_fee_pct: 5 })).toMatchObject({
      row: { management_fee_pct: 2, performance_fee_pct: 5 },
      extra: null,
    })
    expect(read("vault", { fees: { management_fee_bps: 150 } }).row).toMatchObject({
      management_fee_pct: null,
      fee_structure: '{"management_fee_bps":150}',
    })
  })
})
