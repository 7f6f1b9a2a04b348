// Figures that the document does not name: the column reads its own name and the configured one, any other name stays in
// `extra`.
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import type { JsonObject } from "../../src/domain/values/json.ts"
import type { Table } from "../../src/domain/table/table.ts"
import { parseDay } from "../../src/domain/values/time.ts"
import { mapRecords } from "../../src/transform/mapRecords.ts"
import type { MappedResponse } from "../../src/transform/Source.ts"
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
import { allocationHistoryRows } from "../../src/transform/tables/transparency/allocation_history.ts"
import { oracleRows } from "../../src/transform/tables/transparency/oracleRecords.ts"
import { ratioHistoryRows } from "../../src/transform/tables/transparency/ratio_history.ts"
import { withdrawalRows } from "../../src/transform/tables/vaults/withdrawals/withdrawalRecords.ts"
import { vaultDetailRows } from "../../src/transform/tables/vaults/vaultDetailRecords.ts"

const address = `0x${"ab".repeat(20)}`
const lineage = { responseId: "r", receivedAt: 1_780_000_000_000_000 }
const source = <S>(subject: S) => ({ lineage, subject, inputs: {}, timeFields: [] })
const subaccount = source({ address, wireAddress: address })
const vault = source({
  address,
  wireAddress: address,
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
const first = ({ rows, drift }: MappedResponse): Read => {
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
  const { rows, ...others } = mapRecords({ table, records: [record], source: { lineage } })
  return Result.succeed({ ...others, rows: [rows] })
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
  (record: JsonObject) => Result.Result<MappedResponse, { readonly detail: string }>
>

const read = (kind: keyof typeof readers, record: JsonObject): Read =>
  first(Result.getOrThrow<MappedResponse, unknown>(readers[kind](record)))

describe("a figure", () => {
  it("is read under the column's name and its camelCase; any other name stays in extra", () => {
    expect(read("protocol", { assetUsdValue: 3, raw_balance: "12", mark_usd: 4 })).toMatchObject({
      row: { asset_usd_value: 3, raw_balance: "12", value: null },
      extra: { mark_usd: 4 },
      drift: ["unknown_field $.mark_usd"],
    })
  })

  it("of two names the one that says USD is read, and extra keeps the other", () => {
    expect(read("token", { price: 2, priceUsd: 3 })).toMatchObject({
      row: { price: 3 },
      extra: { price: 2 },
    })
    for (const usd of ["value_usd", "usdValue"])
      expect(read("cefi", { id: "a", value: 2, [usd]: 3 })).toMatchObject({
        row: { value: 3 },
        extra: { value: 2 },
      })
    expect(read("otc", { id: "a", value: 2, valueUsd: 3 })).toMatchObject({
      row: { value: 3, value_unit: "USD" },
      extra: { value: 2 },
    })
  })

  it("may be a number as text; extra keeps digits beyond a double", () => {
    expect(read("token", { price: "1.50", balance: "0.1234567890123456789" })).toMatchObject({
      row: { price: 1.5, balance: Number("0.1234567890123456789") },
      extra: { balance: "0.1234567890123456789" },
      drift: [],
    })
  })
})

describe("an amount sent raw and normalized", () => {
  const figures = [
    "principal_amount",
    "initial_principal_amount",
    "interest_amount",
    "total_repaid",
  ]

  it.each(figures)("%s of a loan is the normalized one, whatever is beside it", (name) => {
    const pair = { [name]: "2500000000", [`${name}_normalized`]: 2500 }
    expect(read("loan", pair)).toMatchObject({
      row: { [name]: 2500, [`${name}_digits`]: "2500" },
      extra: { [name]: "2500000000" },
      drift: [],
    })
  })

  it.each<JsonObject>([
    { principal_amount_raw: "2500000000", principal_amount: 2500 },
    { principal_amount: { raw: "2500000000", normalized: 2500 } },
    { principalAmountRaw: "2500000000", principalAmountNormalized: 2500 },
    { principal_amount_raw: "2500000000", principal: "2500000000", principal_normalized: 2500 },
    { principal_amount_raw: "2500000000", principal: { normalized: 2500 } },
  ])("%j of a loan", (principal) => {
    const { row } = read("loan", principal)
    expect(row).toMatchObject({ principal_amount: 2500, principal_amount_raw: "2500000000" })
  })

  it("as the next payment of a loan", () => {
    for (const payment of [
      { amount: "5000000", amount_normalized: 5 },
      { amount: { raw: "5000000", normalized: 5 } },
    ])
      expect(read("loan", { upcoming_payment: payment }).row).toMatchObject({
        upcoming_payment_amount: 5,
        upcoming_payment_amount_digits: "5",
      })
  })

  it("as the balance of a token", () => {
    const normalized = { balance: "7000000", balanceNormalized: 7 }
    expect(read("token", { symbol: "USDC", ...normalized })).toMatchObject({
      row: { balance: 7 },
      extra: { balance: "7000000" },
    })
    const both = { raw: "7000000", normalized: 7 }
    expect(read("token", { symbol: "USDC", balance: both }).row).toMatchObject({ balance: 7 })
    expect(read("token", { symbol: "USDC", balance: 7 }).row).toMatchObject({ balance: 7 })
  })
})

describe("the setting fields", () => {
  const fields = { "subaccount_tokens.price": "px", "subaccount_tokens.value": "oracle.usd" }
  const configured = (record: JsonObject) => {
    const options = { table: subaccountTokens, records: [record], source: { lineage, fields } }
    const { rows, ...others } = mapRecords(options)
    return first({ ...others, rows: [rows] })
  }

  it("comes before the built-in names, and reaches nested records", () => {
    expect(configured({ px: "2.5", price: 9, oracle: { usd: 4, at: 1 } })).toMatchObject({
      row: { price: 2.5, value: 4 },
      extra: { price: 9, oracle: { usd: 4, at: 1 } },
    })
    expect(configured({ price: 9 })).toMatchObject({ row: { price: 9 }, extra: null })
  })
})

describe("a nested field that the setting names", () => {
  const named = <S>(subject: S, fields: Readonly<Record<string, string>>) => ({
    ...source(subject),
    fields,
  })
  const columnOf = (
    mapped: Result.Result<MappedResponse, { readonly detail: string }>,
    name: string,
  ) => {
    const [rows] = Result.getOrThrow<MappedResponse, unknown>(mapped).rows
    return rows?.columns[rows.table.columns.findIndex((column) => column.name === name)]
  }

  it.each([5, 6])("is the id of a position, whatever its value: %d", (value) => {
    const otc = named(null, { "otc_positions.position_id": "trade.id" })
    const mapped = otcPositionRows([{ trade: { id: "T1" }, value }], otc)
    expect(columnOf(mapped, "position_id")).toEqual(["T1"])
  })

  it("is the id of a withdrawal request", () => {
    const request = { requested_at: "2026-01-01", recipient: address, amount: { raw: "5" } }
    const requests = ["a", "b"].map((id) => ({ ...request, meta: { id } }))
    const withdrawals = named(vault.subject, { "withdrawal_requests.request_id": "meta.id" })
    const mapped = Result.getOrThrow(withdrawalRows({ requests }, withdrawals))
    const [, queue] = mapped.rows
    const at = queue?.table.columns.findIndex(({ name }) => name === "request_id") ?? -1
    expect(queue?.columns[at]).toEqual(["a", "b"])
  })

  it("is the day of an oracle classification, of the response or of a record", () => {
    const day = parseDay("2026-01-05")
    const meta = { snapshot_date: "2026-01-05", block: 1 }
    const oracle = named(vault.subject, { "oracle_classification.date": "meta.snapshot_date" })
    const position = { position: "A", pricing_class: "Primary" }
    const ofResponse = oracleRows({ positions: [position], warnings: [], meta }, oracle)
    expect(columnOf(ofResponse, "date")).toEqual([day])
    expect(columnOf(ofResponse, "snapshot_extra")).toEqual([
      '{"meta":{"block":1,"snapshot_date":"2026-01-05"}}',
    ])
    const ofRecord = oracleRows({ positions: [{ ...position, meta }], warnings: [] }, oracle)
    expect(columnOf(ofRecord, "date")).toEqual([day])
  })

  it("is the day of an allocation, and no protocol", () => {
    const point = { meta: { day: "2026-01-05" }, Aave: 10 }
    const allocations = {
      ...source(vault.subject),
      fields: {
        "allocation_history.date": "meta.day",
        allocation_history: { keys: "*" as const },
      },
    }
    const mapped = allocationHistoryRows({ points: [point] }, allocations)
    expect(columnOf(mapped, "date")).toEqual([parseDay("2026-01-05")])
    expect(columnOf(mapped, "protocol")).toEqual(["Aave"])
    expect(columnOf(mapped, "extra")).toEqual([JSON.stringify({ meta: point.meta })])
  })

  it("is the time of a point", () => {
    const points = [1, 2].map((day) => ({
      meta: { at: `2026-01-0${day}T00:00:00Z` },
      actual_tvl: 1,
      tvl_on_vault: 1,
      adjusted_redeem_ratio: 1,
    }))
    const mapped = ratioHistoryRows(
      points,
      named(vault.subject, { "ratio_history.observed_at": "meta.at" }),
    )
    const [rows] = Result.getOrThrow(mapped).rows
    expect(rows?.times).toEqual(points.map(({ meta }) => Date.parse(meta.at) * 1000))
  })
})

describe("the unit in a name", () => {
  it.each([
    ["margin", { requiredUsd: 5, posted: 4 }, { required_unit: "USD", posted_unit: null }],
    ["margin", { required: 5, posted_usd: "4" }, { required_unit: null, posted_unit: "USD" }],
    // Text is not read as the figure.
    ["margin", { required_usd: "much", required: 5 }, { required: 5, required_unit: null }],
    ["otc", { value_usd: 5 }, { value_unit: "USD" }],
    ["otc", { value: 5 }, { value_unit: null }],
  ] as const)("%s: %j", (kind, record, expected) => {
    expect(read(kind, { id: "a", ...record }).row).toMatchObject(expected)
  })
})

describe("a figure within a record", () => {
  it.each(["risk_metadata", "riskMetadata"])("the minimum health factor in %s", (place) => {
    for (const name of ["min_health_factor", "minHealthFactor"]) {
      const metadata = { [name]: 1.3, tier: "a" }
      const { row, extra } = read("subaccount", { [place]: metadata })
      expect(row["min_health_factor"]).toBe(1.3)
      expect(extra).toEqual({ [place]: metadata })
      // A field of the subaccount comes first.
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

  it("fees next to the structure, and in another unit", () => {
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
