// The names of the API document and of public clients are read in snake_case and in camelCase, without any setting.
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { isJsonObject, parseJson } from "../../../src/domain/values/json.ts"
import { defaultTimeFields } from "../../../src/domain/wire/timeFields.ts"
import { decode } from "../../../src/extract/decode.ts"
import { pipelineOf } from "../../../src/pipelines/archive/archivedRows.ts"

const address = `0x${"ab".repeat(20)}`
const other = `0x${"cd".repeat(20)}`
const at = "2026-01-05T00:00:00Z"

/** The rows of a response by table, without JSON, which keeps names as sent. */
const read = (name: string, body: unknown) => {
  const pipeline = pipelineOf(name)
  if (pipeline === undefined) throw new Error(`no pipeline ${name}`)
  const mapped = Result.flatMap(
    decode<unknown>(pipeline.endpoint, parseJson(JSON.stringify(body))),
    (value) =>
      pipeline.rows(value, {
        lineage: { responseId: "r", receivedAt: 1_780_000_000_000_000 },
        subject: { address, wireAddress: address, chainId: 1, kind: "evm", startedOn: undefined },
        inputs: {},
        timeFields: defaultTimeFields,
      }),
  )
  const { rows, rejected } = Result.getOrThrow<
    Result.Result.Success<typeof mapped>,
    Result.Result.Failure<typeof mapped>
  >(mapped)
  expect(rejected).toEqual([])
  return rows
    .filter(({ table }) => table.name !== "response_envelopes")
    .flatMap(({ table, columns, length }) =>
      Array.from({ length }, (_, row) => ({
        table: table.name,
        ...Object.fromEntries(
          table.columns.flatMap(({ name: column, type }, index) =>
            type === "json" ? [] : [[column, columns[index]?.[row]]],
          ),
        ),
      })),
    )
}

const camel = (name: string) =>
  name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
const snake = (name: string) =>
  /[a-z]APY/.test(name) ? name : name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const renamed = (value: unknown, rename: (name: string) => string): unknown => {
  if (Array.isArray(value)) return value.map((each) => renamed(each, rename))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [rename(name), renamed(inner, rename)]),
  )
}

const amount = (raw: string, normalized: number) => ({ raw, normalized })

// By pipeline, as the document (§2) and public clients name the fields.
const bodies: Readonly<Record<string, unknown>> = {
  pnl_history: [{ timestamp: at, unrealizedPnl: 1, unrealizedPnlInAsset: 2 }],
  ratio_history: [
    { snapshot_at: 1_767_571_200, actual_tvl: 1, tvl_on_vault: 2, adjusted_redeem_ratio: 0.5 },
    { snapshot_at: 1_767_574_800, actual_tvl: 1, tvl_on_vault: 2, adjusted_redeem_ratio: 0.6 },
  ],
  apy_history: { data: { labels: ["1/5/2026"], values: [0.0245] }, average_apy: 1 },
  positions: {
    snapshot_at: at,
    total_nav: 100,
    reported_tvl: 99,
    subaccounts: [{ address: other, total_usd: 60 }],
  },
  fees: { management_fee_pct: 1.5, performance_fee_pct: 10 },
  audit_log: { entries: [{ timestamp: at, type: "t", summary: "s" }], has_more: false },
  permissions: { permissions: [{ integration: "i", functions: ["f"] }] },
  roles: {
    roles: [{ role: "owner", address: other, is_safe: true, safe_threshold: 2 }],
    warnings: [],
  },
  timelocks: {
    timelocks: [{ id: "1", status: "scheduled", executable_at: at, labels: ["l"] }],
    warnings: [],
  },
  allocation_history: {
    points: [
      { date: "2026-01-05", protocol: "aave", value_usd: 10 },
      { date: "2026-01-06", allocations: { aave: 10, morpho: 5 } },
      { date: "2026-01-07", allocations: [{ protocol: "aave", value_usd: 10, share_pct: 1 }] },
    ],
  },
  oracle_classification: {
    positions: [{ token_symbol: "USDC", pricing_class: "Primary", usd_value: 1 }],
    warnings: [],
  },
  performance_fees: { total_perf_fees_asset: 2.5 },
  annualized_apy: { liquidAPY30Day: 0.1, liquidAPY7Day: 0.2 },
  vault_summaries: { name: "A", type: "t", recentReturns: { day: 1, week: 2, month: 3 } },
  withdrawals: {
    total_withdrawals: amount("5", 0.5),
    current_total_assets: amount("50", 5),
    pendingQueue: [
      {
        id: "q",
        amount: amount("5", 0.5),
        requestedAt: at,
        estimatedCompletionDate: at,
        receiver: other,
      },
    ],
  },
  health_factors: { healthFactor: 2, totalCollateral: 10, totalLoan: 5, dateTime: at, id: "0x1" },
  subaccount_summaries: {
    address: other,
    name: "a",
    type: "subaccount",
    chains: [],
    tokens: [{ symbol: "USDC", address: other, raw_balance: "1", balance: 1, value: 1 }],
    healthFactor: 2,
    netAccountValue: 1,
    totalAccountValue: 2,
    totalCollateralValue: 3,
    totalEquityValue: 4,
    totalLoanValue: 5,
    loanbook: { aggregatesByToken: [{ symbol: "USDC" }], loans: [], totalCredit: 6, totalDebt: 7 },
    portfolio: {
      cefiPositions: [{ name: "c", value: 1 }],
      collateralBalances: [],
      defiPositions: [],
      discountedValue: 8,
      legacyHedgerPositions: [],
      marginBalances: [],
      otcPositions: [],
      strategyContractPositions: [],
      tokens: [],
      totalValue: 9,
      trsPositions: [],
    },
  },
  loans: [
    {
      address: other,
      lender: address,
      borrower: other,
      state: "ACTIVE",
      total_repaid: 1,
      principal_amount: 2,
      initial_principal_amount: 3,
      interest_amount: 4,
      apr: 0.1,
      lender_apr: 0.2,
      deployed_date: at,
      upcoming_payment: { amount: 1, due_date: at },
    },
  ],
}

/** How many values other than null the rows have. */
const filled = (rows: ReadonlyArray<Readonly<Record<string, unknown>>>): number =>
  rows.flatMap((row) => Object.values(row)).filter((value) => value !== null).length

describe("both cases of every name fill the same rows", () => {
  it.each(Object.entries(bodies))("%s", (name, body) => {
    const rows = read(name, body)
    expect(rows.length).toBeGreaterThan(0)
    expect(filled(rows)).toBeGreaterThan(rows.length * 3)
    expect(read(name, renamed(body, camel))).toEqual(rows)
    expect(read(name, renamed(body, snake))).toEqual(rows)
  })
})
