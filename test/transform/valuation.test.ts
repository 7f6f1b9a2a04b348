// Responses about the value of vaults become rows, in every spelling services use.
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { isJsonObject, type JsonObject, parseJson } from "../../src/domain/values/json.ts"
import type { Rows } from "../../src/domain/table/table.ts"
import { parseDay, parseInstant, startOfDay } from "../../src/domain/values/time.ts"
import { defaultTimeFields } from "../../src/domain/wire/timeFields.ts"
import type { VaultRef } from "../../src/domain/subject/vault.ts"
import type { Violation } from "../../src/domain/wire/violation.ts"
import { performanceFees as feesEndpoint } from "../../src/extract/endpoints/vaults/performance_fees.ts"
import { defaultWire, wireRequest } from "../../src/extract/request.ts"
import { oracleRows } from "../../src/transform/tables/transparency/oracleRecords.ts"
import type { MappedResponse, Source } from "../../src/transform/Source.ts"
import { feesRows } from "../../src/transform/tables/transparency/fees.ts"
import { positionRows } from "../../src/transform/tables/transparency/position_snapshots.ts"
import { annualizedApyRows } from "../../src/transform/tables/vaults/annualized_apy.ts"
import { performanceFeeRows } from "../../src/transform/tables/vaults/performance_fees.ts"
import { vaultDetailRows } from "../../src/transform/tables/vaults/vaultDetailRecords.ts"
import { vaultRows } from "../../src/transform/tables/vaults/vaultRecords.ts"
import { vaultSummaryRows } from "../../src/transform/tables/vaults/vaultSummaryRecords.ts"
import { withdrawalRows } from "../../src/transform/tables/vaults/withdrawals/withdrawalRecords.ts"

const address = `0x${"ab".repeat(20)}`
const other = `0x${"CD".repeat(20)}`
const subject: VaultRef = {
  address,
  wireAddress: address,
  chainId: 1,
  kind: "evm",
  startedOn: undefined,
}
const receivedAt = startOfDay(parseDay("2026-03-04") ?? 0) + 5
const source: Source<VaultRef> = {
  lineage: { responseId: "r", receivedAt },
  subject,
  inputs: {},
  timeFields: defaultTimeFields,
}

const objects = (rows: Rows | undefined): ReadonlyArray<Record<string, unknown>> =>
  Array.from({ length: rows?.length ?? 0 }, (_, row) =>
    Object.fromEntries(
      rows?.table.columns.map(({ name }, column) => [name, rows.columns[column]?.[row] ?? null]) ??
        [],
    ),
  )

const rowsOf = (mapped: Result.Result<MappedResponse, Violation>, table: string) =>
  objects(Result.getOrThrow(mapped).rows.find((rows) => rows.table.name === table))

const lossless = (text: string): JsonObject => {
  const value = Result.getOrThrow(parseJson(text)).lossless
  if (!isJsonObject(value)) throw new Error("no object")
  return value
}

describe("vault details", () => {
  const record = {
    address,
    chain: 1,
    vault_name: "Alpha",
    weekly_performance_fee_bps: 25,
    latest_reported_tvl: 12.5,
    reported_apy: { apy: 0.04 },
    current_share_price: 1.01,
    subaccounts: [{ address: other, strategist: { strategist_name: "Ann", id: 7 } }],
    hardcoded_strategists: [{ strategist_name: "Bob", strategist_logo: "b.svg" }],
    operators: [
      { address: other, operator_type: "keeper" },
      { address: other, operator_type: "pauser" },
    ],
    rewards: [{ text: "Season 1", multiplier: 1.5, start_datetime: "2026-01-01" }],
    receipt_token_integrations: [{ name: "Pendle", apy: 0.1 }],
    composabilityIntegrations: ["Morpho"],
    novelty: { deep: [1] },
  }
  const withMoving = {
    ...source,
    fields: { "vault_detail_metrics.extra": ["current_share_price", "apy"] },
  }

  it("separates description, figures and lists, and keeps the rest", () => {
    const mapped = vaultDetailRows(record, withMoving)
    expect(rowsOf(mapped, "vault_details")).toMatchObject([
      {
        chain_id: 1,
        vault_address: address,
        vault_name: "Alpha",
        weekly_performance_fee_bps: 25,
        extra: '{"novelty":{"deep":[1]}}',
      },
    ])
    expect(rowsOf(mapped, "vault_detail_metrics")).toMatchObject([
      {
        latest_reported_tvl: 12.5,
        reported_apy: '{"apy":0.04}',
        extra:
          '{"current_share_price":1.01,"receipt_token_integrations":[{"apy":0.1,"entry_id":"receipt_token_integrations Pendle"}]}',
      },
    ])
    expect(rowsOf(mapped, "vault_strategies")).toMatchObject([
      {
        subaccount_address: other.toLowerCase(),
        subaccount_address_wire: other,
        strategist_id: "7",
        strategist_name: "Ann",
        extra: null,
      },
      { subaccount_address: null, strategist_name: "Bob", listed_as: "hardcoded_strategists" },
    ])
    expect(rowsOf(mapped, "vault_operators")).toMatchObject([
      { operator_address: other.toLowerCase(), operator_type: "keeper" },
      { operator_address: other.toLowerCase(), operator_type: "pauser" },
    ])
    expect(rowsOf(mapped, "vault_rewards")).toMatchObject([
      { entry_id: "Season 1", multiplier: 1.5, started_at: parseInstant("2026-01-01") },
    ])
    expect(rowsOf(mapped, "vault_integrations")).toMatchObject([
      { kind: "receipt_token", name: "Pendle", extra: null },
      { kind: "composability", name: "Morpho" },
    ])
  })

  it("figures that move leave the description as it was", () => {
    const moved = {
      ...record,
      latest_reported_tvl: 13,
      current_share_price: 1.02,
      receipt_token_integrations: [{ name: "Pendle", apy: 0.2 }],
    }
    const stable = ["vault_details", "vault_integrations", "vault_strategies"]
    for (const table of stable) {
      const before = rowsOf(vaultDetailRows(record, withMoving), table)
      expect(before.length, table).toBeGreaterThan(0)
      expect(rowsOf(vaultDetailRows(moved, withMoving), table)).toEqual(before)
    }
    expect(rowsOf(vaultDetailRows(moved, withMoving), "vault_detail_metrics")).not.toEqual(
      rowsOf(vaultDetailRows(record, withMoving), "vault_detail_metrics"),
    )
  })

  it("figures that move within nested records are separated by their path", () => {
    const named = ["stats.share_price", "live.calls"]
    const configured = {
      ...source,
      fields: {
        "vault_detail_metrics.extra": named,
        "vault_reported_metrics.extra": named,
        "vault_detail_metrics.latest_reported_tvl": "stats.tvl",
      },
    }
    const sent = (price: number): JsonObject => ({
      address,
      chain: 1,
      vault_name: "Alpha",
      stats: { share_price: price, tvl: price, since: "2025" },
      live: { calls: price },
    })
    const details = (price: number) => vaultDetailRows(sent(price), configured)
    const listed = (price: number) =>
      vaultRows([sent(price), { ...sent(price), address: other, live: {} }], {
        ...configured,
        subject: null,
      })
    expect(rowsOf(details(1), "vault_details")).toMatchObject([
      { vault_name: "Alpha", extra: '{"stats":{"since":"2025"}}' },
    ])
    expect(rowsOf(details(2), "vault_details")).toEqual(rowsOf(details(1), "vault_details"))
    expect(rowsOf(details(2), "vault_detail_metrics")).toMatchObject([
      { latest_reported_tvl: 2, extra: '{"live":{"calls":2},"stats":{"share_price":2,"tvl":2}}' },
    ])
    expect(Result.getOrThrow(details(1)).drift.map(({ path }) => path)).toEqual(["$.stats.since"])
    expect(rowsOf(listed(1), "vaults")).toMatchObject([
      { extra: '{"stats":{"since":"2025","tvl":1}}' },
      { extra: expect.stringContaining('{"since":"2025","tvl":1}') as unknown },
    ])
    expect(rowsOf(listed(2), "vault_reported_metrics")).toMatchObject([
      { extra: '{"live":{"calls":2},"stats":{"share_price":2}}' },
      { extra: '{"stats":{"share_price":2}}' },
    ])
  })

  it.each([
    "current_owner",
    "deposits_paused",
    "price_oracle",
    "latest_version",
    "nav_updated_at",
    "nav_updated",
    "tvl",
  ])("an undeclared field is part of the description, whatever its name is: %s", (name) => {
    const valueOf = (value: unknown) =>
      rowsOf(vaultDetailRows({ ...record, [name]: value }, source), "vault_details")[0]
    expect(valueOf("2026-01-01")?.["extra"]).toContain(`"${name}":"2026-01-01"`)
    expect(valueOf("2026-01-02")).not.toEqual(valueOf("2026-01-01"))
  })

  it("camelCase gives the same rows; lists may be plain addresses", () => {
    const mapped = vaultDetailRows(
      {
        vaultAddress: address,
        chainId: 1,
        vaultName: "Alpha",
        latestReportedTvl: 12.5,
        subaccounts: [other],
        rewardPrograms: [{ name: "Season 1" }],
        receiptTokenIntegrations: [],
      },
      source,
    )
    expect(rowsOf(mapped, "vault_details")).toMatchObject([{ vault_name: "Alpha", extra: null }])
    expect(rowsOf(mapped, "vault_strategies")).toMatchObject([
      { subaccount_address: other.toLowerCase(), strategist_id: null },
    ])
    expect(rowsOf(mapped, "vault_rewards")).toMatchObject([{ text: "Season 1", multiplier: null }])
    const { rows } = Result.getOrThrow(mapped)
    const integrations = rows.find(({ table }) => table.name === "vault_integrations")
    expect(integrations).toMatchObject({
      length: 0,
      mergeKey: { chain_id: 1, vault_address: address },
    })
    // A missing list retires nothing.
    expect(rows.some(({ table }) => table.name === "vault_operators")).toBe(false)
  })

  it.each([[null], [[]], [[{ strategist_name: "Ann" }]]])(
    "a list ends no entry beside one that can't be read: %j",
    (strategists) => {
      const strategies = (listed: JsonObject) =>
        Result.getOrThrow(vaultDetailRows({ ...listed, strategists }, source)).rows.find(
          ({ table }) => table.name === "vault_strategies",
        )
      const whole = strategies({ subaccounts: [] })
      expect(whole).toMatchObject({ mergeKey: { chain_id: 1, vault_address: address } })
      const part = strategies({ subaccounts: { "0x1": {} } })
      expect(part?.mergeKey).toBeUndefined()
      expect(objects(part)).toEqual(objects(whole))
    },
  )

  it("a strategist that is listed as a text is a name, unless it is an address", () => {
    const mapped = vaultDetailRows({ strategists: ["Bob", other] }, source)
    expect(rowsOf(mapped, "vault_strategies")).toMatchObject([
      {
        strategist_id: null,
        strategist_name: "Bob",
        strategist: '"Bob"',
        subaccount_address: null,
      },
      { strategist_id: other, strategist_name: null, strategist: `{"address":"${other}"}` },
    ])
  })

  it("entries with the same id keep theirs in any order of the list", () => {
    const rewards = [1, 2, 3].map((multiplier) => ({ text: "Season 1", multiplier }))
    const idsOf = (listed: ReadonlyArray<JsonObject>) =>
      rowsOf(vaultDetailRows({ rewards: listed }, source), "vault_rewards").map(
        (row) => row["entry_id"],
      )
    expect(idsOf(rewards)).toEqual(["Season 1", "Season 1#2", "Season 1#3"])
    expect(idsOf(rewards.toReversed())).toEqual(idsOf(rewards).toReversed())
  })

  it("an entry is identified by any name of its columns, and a second address is kept", () => {
    const listed = {
      integrations: [{ protocolName: "Pendle", since: 1 }],
      subaccounts: [{ address: other, subaccountAddress: address }],
    }
    const [integration] = rowsOf(vaultDetailRows(listed, source), "vault_integrations")
    expect(integration).toMatchObject({ entry_id: "integrations Pendle", name: "Pendle" })
    expect(rowsOf(vaultDetailRows(listed, source), "vault_strategies")).toMatchObject([
      {
        subaccount_address: other.toLowerCase(),
        subaccount_address_wire: other,
        extra: JSON.stringify({ subaccountAddress: address }),
      },
    ])
  })

  it.each([[{ chain: 8453 }], [{ chainId: "8453" }], [{ chain: { id: 8453 } }]])(
    "are of the vault on the chain that they name: %j",
    (named) => {
      const details = { address, ...named, weekly_performance_fee_bps: 50, subaccounts: [other] }
      const summary = { ...named, name: "Alpha", allocation: { Aave: 1 } }
      for (const mapped of [
        vaultDetailRows({ ...details, latest_reported_tvl: 1 }, source),
        vaultSummaryRows(summary, source),
      ]) {
        const { rows } = Result.getOrThrow(mapped)
        expect(rows.length).toBeGreaterThan(1)
        expect(rows.flatMap(objects).map((row) => row["chain_id"])).toEqual(rows.map(() => 8453))
        expect(rows.map(({ mergeKey }) => mergeKey?.["chain_id"])).not.toContain(1)
      }
    },
  )

  it("are of the chain that the list of vaults reads, where the settings name its field", () => {
    const fields = { "vaults.chain_id": ["network_id"] }
    const named = { address, chain: 8453, network_id: 3, vault_name: "Alpha", name: "Alpha" }
    for (const rows of [vaultDetailRows, vaultSummaryRows]) {
      const mapped = Result.getOrThrow(rows(named, { ...source, fields }))
      expect(mapped.rows.flatMap(objects)).toMatchObject([{ chain_id: 3 }])
    }
  })

  it.each([[{}], [{ chain: null }], [{ chain: "base" }], [{ chain: 0 }]])(
    "are of the vault that was requested where they name no chain: %j",
    (named) => {
      for (const mapped of [
        vaultDetailRows({ vault_name: "Alpha", ...named }, source),
        vaultSummaryRows({ name: "Alpha", ...named }, source),
      ]) {
        const { rows } = Result.getOrThrow(mapped)
        expect(rows.flatMap(objects)).toMatchObject([{ chain_id: 1, vault_address: address }])
      }
    },
  )

  it("a list of another shape stays in extra", () => {
    const mapped = vaultDetailRows({ operators: [1, 2], rewards: { a: 1 } }, source)
    expect(rowsOf(mapped, "vault_details")).toMatchObject([
      { extra: '{"operators":[1,2],"rewards":{"a":1}}' },
    ])
  })
})

describe("vault summaries", () => {
  it.each<[string, JsonObject, ReadonlyArray<number | null>]>([
    ["recentReturns", { recentReturns: { day: 1, week: 2, month: 3 } }, [1, 2, 3]],
    ["recent_returns", { recent_returns: { day: 1, "7d": 2, month: "3" } }, [1, null, 3]],
    ["flat", { return1DayPct: 1, return_7_day: 2, return30Day: 3 }, [1, 2, 3]],
    ["some null", { recentReturns: { day: null, week: 2 } }, [null, 2, null]],
    ["none", { name: "Alpha" }, [null, null, null]],
  ])("returns: %s", (_, record, [day, week, month]) => {
    expect(rowsOf(vaultSummaryRows(record, source), "vault_summaries")).toMatchObject([
      {
        return_1_day: day,
        return_7_day: week,
        return_30_day: month,
        extra: null,
      },
    ])
  })

  it("keeps returns under their wire names, which may say the unit", () => {
    const [row] = rowsOf(vaultSummaryRows({ return1DayPct: 1 }, source), "vault_summaries")
    expect(row).toMatchObject({ recent_returns: '{"return1DayPct":1}' })
  })

  it.each(["daily_return", "weeklyReturn", "return_24h", "performance_7d", "returns"])(
    "%s is no return that is declared, and is kept",
    (name) => {
      const [row] = rowsOf(vaultSummaryRows({ [name]: 1 }, source), "vault_summaries")
      expect(row).toMatchObject({ return_1_day: null, return_7_day: null, return_30_day: null })
      expect(row?.["extra"]).toBe(JSON.stringify({ [name]: 1 }))
    },
  )

  it.each<[string, unknown, ReadonlyArray<unknown>]>([
    [
      "records",
      [
        { strategy: "Lending", valueUsd: 10, weight: 0.4, chain_id: 1 },
        { strategy: "Lending", valueUsd: 5, weight: 0.2, chain_id: 2 },
      ],
      [
        { position: "Lending", value: 10, share: 0.4, extra: '{"chain_id":1}' },
        {
          position: "Lending#2",
          value: 5,
          share: 0.2,
          extra: '{"chain_id":2,"strategy":"Lending"}',
        },
      ],
    ],
    ["a map", { Aave: 10 }, [{ position: "Aave", value: 10, extra: null }]],
  ])("allocations: %s", (_, current_strategy_allocation, expected) => {
    const mapped = vaultSummaryRows({ name: "Alpha", current_strategy_allocation }, source)
    expect(rowsOf(mapped, "vault_summary_allocations")).toMatchObject(expected as Array<object>)
    expect(rowsOf(mapped, "vault_summaries")).toMatchObject([{ name: "Alpha", extra: null }])
  })

  it("allocations are a whole set; without any in the response, none is retired", () => {
    const scope = (record: JsonObject) =>
      Result.getOrThrow(vaultSummaryRows(record, source)).rows.find(
        ({ table }) => table.name === "vault_summary_allocations",
      )?.mergeKey
    expect(scope({ allocation: [{ strategy: "Lending", valueUsd: 1 }] })).toEqual({
      vault_address: address,
    })
    expect(scope({ allocation: [] })).toEqual({ vault_address: address })
    expect(scope({ allocation: "Lending" })).toBeUndefined()
    expect(scope({ name: "Alpha" })).toBeUndefined()
  })

  it("reads the time of the latest snapshot, in either spelling", () => {
    for (const record of [
      { latestSnapshot: { snapshotAt: "2026-01-01T05:00:00" } },
      { latest_snapshot: { datetime: "2026-01-01T05:00:00Z", tvl: 1 } },
    ]) {
      expect(rowsOf(vaultSummaryRows(record, source), "vault_summaries")).toMatchObject([
        { latest_snapshot_at: parseInstant("2026-01-01T05:00:00Z") },
      ])
    }
  })
})

describe("annualized APY", () => {
  it("a deprecated name is read, and reported", () => {
    const record = { liquidAPY7Day: 0.02, vusdc30dLiquidAPY: 0.03, vusdc7dLiquidAPY: 0.02 }
    const mapped = annualizedApyRows(record, source)
    expect(rowsOf(mapped, "annualized_apy")).toMatchObject([
      { liquid_apy_30_day: 0.03, liquid_apy_7_day: 0.02, extra: null },
    ])
    expect(Result.getOrThrow(mapped).drift).toEqual([
      {
        path: "$.vusdc30dLiquidAPY",
        kind: "deprecated_field",
        detail: "used for liquidAPY30Day (§9.2)",
      },
    ])
  })

  it("a deprecated name with another value is kept in extra", () => {
    const record = { liquidAPY30Day: 0.03, liquidAPY7Day: null, v30dLiquidAPY: 0.5 }
    expect(rowsOf(annualizedApyRows(record, source), "annualized_apy")).toMatchObject([
      { liquid_apy_30_day: 0.03, liquid_apy_7_day: null, extra: '{"v30dLiquidAPY":0.5}' },
    ])
  })

  it("of two deprecated names of one figure the first is read, and another value is kept", () => {
    const record = { vusdc30dLiquidAPY: 0.03, veth30dLiquidAPY: 0.5, vbtc30dLiquidAPY: "0.030" }
    expect(rowsOf(annualizedApyRows(record, source), "annualized_apy")).toMatchObject([
      { liquid_apy_30_day: 0.03, extra: '{"veth30dLiquidAPY":0.5}' },
    ])
  })

  it("a response without any of the figures is a violation", () => {
    const answers: ReadonlyArray<[string, boolean]> = [
      ['{"liquidAPY30Day": 0.1, "liquidAPY7Day": 0.1}', true],
      ['{"liquid_apy_30_day": 0.1}', true],
      ['{"veth30dLiquidAPY": 0.1}', true],
      ['{"apy": 0.1}', false],
    ]
    for (const [text, valid] of answers) {
      expect(Result.isSuccess(annualizedApyRows(lossless(text), source)), text).toBe(valid)
    }
    const fields = { "annualized_apy.liquid_apy_7_day": "apy" }
    expect(
      rowsOf(annualizedApyRows({ apy: 0.1 }, { ...source, fields }), "annualized_apy"),
    ).toMatchObject([{ liquid_apy_7_day: 0.1 }])
  })
})

describe("withdrawals", () => {
  const big = "123456789012345678901234567890"

  it("keeps every digit of raw amounts, from { raw, normalized } and from numbers", () => {
    const mapped = withdrawalRows(
      lossless(`{
        "total_withdrawal_amount": {"raw": ${big}, "normalized": 12.5},
        "total_withdrawals_count": 2, "current_total_assets": {"raw": "9007199254740993", "normalized": 90},
        "pendingQueue": [
          {"id": 5, "amount": {"raw": ${big}, "normalized": "0.5"}, "requestedAt": "2026-01-01T00:00:00Z",
           "estimatedCompletionDate": "2026-01-05", "receiver": "${other}"},
          {"id": 6, "amount": {"raw": "1", "normalized": 1, "symbol": "USDC"}}
        ]}`),
      source,
    )
    expect(rowsOf(mapped, "withdrawal_summaries")).toMatchObject([
      {
        total_withdrawals_raw: big,
        total_withdrawals: 12.5,
        total_assets_raw: "9007199254740993",
        total_assets: 90,
        pending_requests: 2,
        extra: '{"total_withdrawals_count":2}',
      },
    ])
    expect(rowsOf(mapped, "withdrawal_requests")).toMatchObject([
      {
        request_id: "5",
        amount_raw: big,
        amount: 0.5,
        requested_at: parseInstant("2026-01-01"),
        estimated_completion_at: parseInstant("2026-01-05"),
        recipient_address: other.toLowerCase(),
        recipient_address_wire: other,
        extra: null,
      },
      {
        request_id: "6",
        amount_raw: "1",
        amount: 1,
        requested_at: null,
        extra: '{"amount":{"normalized":1,"raw":"1","symbol":"USDC"}}',
      },
    ])
  })

  it("reads the other spelling, amounts in two fields", () => {
    const mapped = withdrawalRows(
      lossless(`{"totalWithdrawalsRaw": 9007199254740993, "totalWithdrawals": 0.009,
        "totalAssetsRaw": "5", "totalAssets": 5, "pending_requests": [
          {"request_date": "2026-01-01", "amountRaw": 9007199254740993, "amount": 0.009,
           "vaultPct": 1.5, "recipient": "${other}"}]}`),
      source,
    )
    expect(rowsOf(mapped, "withdrawal_summaries")).toMatchObject([
      { total_withdrawals_raw: "9007199254740993", total_assets_raw: "5", extra: null },
    ])
    expect(rowsOf(mapped, "withdrawal_requests")).toMatchObject([
      { amount_raw: "9007199254740993", amount: 0.009, vault_pct: 1.5, extra: null },
    ])
  })

  it("a request without an id is identified by its unchanging fields", () => {
    const request = { date: "2026-01-01", amount: 5, recipient: other }
    const ids = (...requests: ReadonlyArray<JsonObject>) =>
      rowsOf(withdrawalRows({ requests }, source), "withdrawal_requests").map(
        (row) => row["request_id"],
      )
    const [id, again] = ids({ ...request, vault_pct: 1 }, { ...request, vault_pct: 1 })
    expect(id).toMatch(/^[0-9a-f]{64}$/)
    expect(again).toBe(`${String(id)}#2`)
    expect(ids({ recipient: other, amount: 5, date: "2026-01-01", vault_pct: 2 })).toEqual([id])
    expect(ids({ ...request, amount: 6 })).not.toEqual([id])
  })

  it("a queue is a whole set, even when empty; without a queue no request is retired", () => {
    const scope = (record: JsonObject) =>
      Result.getOrThrow(withdrawalRows(record, source)).rows.find(
        ({ table }) => table.name === "withdrawal_requests",
      )?.mergeKey
    const unreadable = { "0x1": { amount: 5 } }
    for (const requests of [[], null]) {
      expect(scope({ requests })).toEqual({ vault_address: address, chain_id: 1 })
      expect(scope({ requests, pending_queue: {} })).toEqual(scope({ requests }))
      expect(scope({ requests, pending_queue: unreadable })).toBeUndefined()
    }
    expect(scope({ total: 1 })).toBeUndefined()
  })

  it("a record without any known field is no failure", () => {
    const mapped = withdrawalRows({ novelty: true }, source)
    expect(rowsOf(mapped, "withdrawal_summaries")).toMatchObject([
      { total_withdrawals: null, pending_requests: null, extra: '{"novelty":true}' },
    ])
    expect(rowsOf(mapped, "withdrawal_requests")).toEqual([])
  })
})

describe("positions", () => {
  const record = {
    snapshot_at: "2026-03-04T11:00:00",
    total_nav: 100,
    reported_tvl: null,
    subaccounts: [
      { address: other, total_usd: 60.5, positions: [{ protocol: "Aave" }] },
      { total_usd: 30 },
    ],
  }

  it("the buffer is the part outside the subaccounts", () => {
    const mapped = positionRows(record, source)
    const snapshotAt = parseInstant("2026-03-04T11:00:00Z")
    expect(rowsOf(mapped, "position_snapshots")).toMatchObject([
      {
        snapshot_at: snapshotAt,
        total_nav: 100,
        reported_tvl: null,
        subaccounts_total_usd: 90.5,
        buffer_usd: 9.5,
        subaccount_count: 2,
        extra: null,
      },
    ])
    expect(rowsOf(mapped, "position_subaccounts")).toMatchObject([
      { subaccount_address: other.toLowerCase(), total_usd: 60.5, extra: null },
      { subaccount_address: "#2", total_usd: 30 },
    ])
  })

  it("a snapshot without subaccounts is a whole set without members, all of it in the buffer", () => {
    const mapped = positionRows({ ...record, subaccounts: [] }, source)
    expect(rowsOf(mapped, "position_snapshots")).toMatchObject([
      { subaccounts_total_usd: 0, buffer_usd: 100, subaccount_count: 0 },
    ])
    const setsOf = (each: typeof mapped) =>
      Result.getOrThrow(each).rows.find(({ table }) => table.name === "position_subaccounts")
        ?.emptySets
    const snapshot_at = parseInstant("2026-03-04T11:00:00Z")
    expect(setsOf(mapped)).toEqual([{ vault_address: address, chain_id: 1, snapshot_at }])
    expect(setsOf(positionRows(record, source))).toBeUndefined()
  })

  it("keeps big integers of holdings", () => {
    const big = lossless(`{"snapshot_at": 1770000000, "total_nav": 1, "reported_tvl": 1,
      "subaccounts": [{"total_usd": 1, "positions": [{"amount_raw": 9007199254740993}]}]}`)
    const mapped = positionRows(big as unknown as Parameters<typeof positionRows>[0], source)
    expect(rowsOf(mapped, "position_subaccounts")).toMatchObject([
      { positions: '[{"amount_raw":9007199254740993}]' },
    ])
  })

  it("an invalid instant fails; a missing documented field costs its own record", () => {
    expect(Result.isFailure(positionRows({ ...record, snapshot_at: "noon" }, source))).toBe(true)
    const { reported_tvl: _missing, ...rest } = record
    const without = positionRows(rest, source)
    expect(Result.getOrThrow(without).rejected).toMatchObject([{ path: "$.reported_tvl" }])
    expect(rowsOf(without, "position_subaccounts")).toHaveLength(2)
    const unnamed = positionRows({ ...record, subaccounts: [{}] }, source)
    expect(Result.getOrThrow(unnamed).rejected).toMatchObject([
      { path: "$.subaccounts[0].total_usd" },
    ])
    expect(rowsOf(unnamed, "position_snapshots")).toMatchObject([
      { subaccounts_total_usd: null, buffer_usd: null },
    ])
  })
})

describe("fees", () => {
  it("leaves out what repeats the request, and keeps the rest", () => {
    const record = {
      vault_address: address,
      management_fee_pct: 1,
      performance_fee_pct: 10,
      to: "x",
    }
    expect(rowsOf(feesRows(record, source), "fees")).toEqual([
      {
        chain_id: 1,
        vault_address: address,
        management_fee_pct: 1,
        performance_fee_pct: 10,
        reported_at: null,
        reported_times: null,
        extra: '{"to":"x"}',
      },
    ])
  })

  it("performance fees are keyed by the request's inputs", () => {
    const record = { total_perf_fees_asset: 2.5, calculated_at: "2026-01-01T00:00:00Z" }
    const [start, end] = [Date.UTC(2026, 0, 1), Date.UTC(2026, 1, 1) - 1].map((ms) => ms * 1000)
    const common = { annualizedFeesPct: 15, nativeDenominated: false }
    const rows = (inputs: JsonObject) =>
      rowsOf(performanceFeeRows(record, { ...source, inputs }), "performance_fees")
    expect(rows({ ...common, startDate: start, endDate: end })).toMatchObject([
      {
        calculation_period: "Custom",
        range: "2026-01-01..2026-01-31",
        range_start: parseDay("2026-01-01"),
        range_end: parseDay("2026-01-31"),
        is_native_denominated: false,
        annualized_fees_pct: 15,
        total_perf_fees_asset: 2.5,
        extra: null,
      },
    ])
    const toDate = { range: "-", range_start: null, range_end: null, annualized_fees_pct: 20 }
    expect(rows({ calculationPeriod: "MonthToDate" })).toMatchObject([
      { ...toDate, calculation_period: "MonthToDate", is_native_denominated: true },
    ])
    expect(rows({})).toMatchObject([{ ...toDate, calculation_period: "YearToDate" }])
  })

  it("a range with one end is refused (§7, rule 6)", () => {
    const request = (inputs: JsonObject) =>
      wireRequest(feesEndpoint, { vault: address, ...inputs }, defaultWire)
    expect(request({ startDate: 0 })).toMatchObject({
      failure: { detail: expect.stringContaining("endDate") as unknown },
    })
    expect(request({ endDate: 0 })).toMatchObject({
      failure: { detail: expect.stringContaining("startDate") as unknown },
    })
    expect(Result.isSuccess(request({ startDate: 0, endDate: 1000 }))).toBe(true)
    expect(Result.isSuccess(request({}))).toBe(true)
  })
})

describe("oracle classification", () => {
  it("takes the class from the name of a declared list", () => {
    const perp = [{ position: "Perp", usd_value: 7 }]
    expect(
      rowsOf(oracleRows({ cefi: perp, warnings: [] }, source), "oracle_classification"),
    ).toMatchObject([{ pricing_class: "cefi", position: "Perp" }])
  })

  const perp = { position: "Perp", usd_value: 7 }
  it.each<[string, JsonObject]>([
    ["a list under another name", { rows: [{ ...perp, pricing_class: "CeFi" }] }],
    ["a class under another name", { positions: [{ ...perp, how: "CeFi" }] }],
    ["lists with a total", { primary: { tokens: [perp], total_usd: 7 } }],
    ["a class within a name", { cefi_tokens: [perp] }],
    ["an unknown record", { classes: { a: { b: 1 } } }],
    ["in a place beside an empty one", { positions: [], tokens: [{ ...perp, how: "CeFi" }] }],
    ["in a place beside a null", { positions: null, tokens: [{ ...perp, how: "CeFi" }] }],
    ["under another name beside a null", { positions: null, by_token: { USDC: perp } }],
  ])("records in another shape are a violation: %s", (_, body) => {
    const mapped = oracleRows({ warnings: [], ...body }, source)
    expect(Result.isFailure(mapped) && mapped.failure.detail).toContain(Object.keys(body)[0])
  })

  it("the setting fields names the list and the class", () => {
    const fields = { oracle_classification: "rows", "oracle_classification.pricing_class": "how" }
    const body = { warnings: [], rows: [{ ...perp, how: "CeFi" }] }
    expect(rowsOf(oracleRows(body, { ...source, fields }), "oracle_classification")).toMatchObject([
      { pricing_class: "CeFi", position: "Perp", extra: null },
    ])
  })

  const day = parseDay("2026-03-03")
  const expected = [
    { date: day, position: "Aave", usd_value: 5 },
    { date: day, position: "Perp", usd_value: 7 },
  ]

  it.each<[string, JsonObject, ReadonlyArray<string>?]>([
    [
      "snake_case next to totals",
      {
        totals: [{ pricing_class: "Primary", usd_value: 12 }],
        positions: [
          { position: "Aave", pricing_class: "Primary", usd_value: 5 },
          { position: "Perp", pricing_class: "CeFi", usd_value: 7 },
        ],
        snapshot_date: "2026-03-03",
      },
    ],
    [
      "lists by class, all of which are read",
      {
        primary: [{ position: "Aave", pricing_class: "Primary", usd_value: 5 }],
        secondary_market: [],
        cefi: [{ position: "Perp", usd_value: 7, pricing_class: "CeFi" }],
        snapshot_date: "2026-03-03",
      },
    ],
    [
      "camelCase, wrapped",
      {
        data: {
          tokens: [
            { positionName: "Aave", pricingClass: "Primary", usdValue: 5 },
            { positionName: "Perp", pricingClass: "CeFi", usdValue: 7 },
          ],
        },
        snapshotAt: "2026-03-03T10:00:00Z",
      },
    ],
    [
      "by class",
      {
        classification: {
          Primary: [{ name: "Aave", value: 5 }],
          "Secondary Market": [],
          CeFi: [{ name: "Perp", value: 7 }],
        },
        date: "2026-03-03",
      },
    ],
    [
      "by position",
      {
        positions: {
          Aave: { classification: "Primary", valueUsd: 5 },
          Perp: { classification: "CeFi", valueUsd: 7 },
        },
        date: "3/3/2026",
      },
    ],
  ])("finds the records: %s", (_, body, classes = ["Primary", "CeFi"]) => {
    const mapped = oracleRows({ warnings: [], ...body }, source)
    expect(rowsOf(mapped, "oracle_classification")).toMatchObject(
      expected.map((row, at) => ({ ...row, pricing_class: classes[at] })),
    )
  })

  it.each<[string, JsonObject, JsonObject]>([
    ["next to records", { primary: [{ position: "Aave" }], block: 7 }, { block: 7 }],
    ["without records", { positions: [], block: 7 }, { block: 7 }],
  ])("keeps and reports fields %s", (_, body, kept) => {
    const mapped = oracleRows({ warnings: [], ...body }, source)
    // One place for each: with the records of the day, or by themselves.
    const places = [
      ...rowsOf(mapped, "oracle_classification").map((row) => row["snapshot_extra"]),
      ...rowsOf(mapped, "response_envelopes").map(({ extra }) => extra),
    ]
    expect(places).toEqual([JSON.stringify(kept)])
    expect(Result.getOrThrow(mapped).drift.map(({ path }) => path)).toEqual(
      Object.keys(kept).map((name) => `$.${name}`),
    )
  })

  it("distinguishes tokens of one position, keeps other fields, and uses the day of the response", () => {
    const mapped = oracleRows(
      {
        warnings: ["no price for X", "no price for X", { token: "Y" }],
        vault_address: address,
        version: 2,
        positions: [
          { position: "Pool", token: "USDC", pricing_class: "Secondary Market", usd: 1 },
          { position: "Pool", token: "WETH", pricing_class: "Secondary Market", usd: 2 },
        ],
      },
      source,
    )
    expect(rowsOf(mapped, "oracle_classification")).toMatchObject([
      {
        date: parseDay("2026-03-04"),
        position_id: "Pool / USDC",
        snapshot_extra: '{"version":2}',
      },
      { position_id: "Pool / WETH", usd_value: 2, extra: null },
    ])
    expect(rowsOf(mapped, "observation_warnings")).toEqual([
      {
        endpoint: "oracle_classification",
        chain_id: 1,
        vault_address: address,
        warning: "no price for X",
      },
      {
        endpoint: "oracle_classification",
        chain_id: 1,
        vault_address: address,
        warning: '{"token":"Y"}',
      },
    ])
  })

  it("letter case does not matter in a token's address", () => {
    const rows = [other, other.toLowerCase()].map((tokenAddress) => {
      const positions = [{ tokenAddress, pricingClass: "CeFi", usdValue: 1 }]
      return rowsOf(oracleRows({ warnings: [], positions }, source), "oracle_classification")[0]
    })
    expect(rows[0]).toMatchObject({
      position_id: other.toLowerCase(),
      token_address: other.toLowerCase(),
      token_address_wire: other,
    })
    expect(rows[1]).toEqual({ ...rows[0], token_address_wire: other.toLowerCase() })
  })

  it.each<JsonObject>([{ positions: [] }, { positions: null, version: 2 }])(
    "an empty classification is no failure: %j",
    (body) => {
      const mapped = oracleRows({ warnings: [], ...body }, source)
      expect(rowsOf(mapped, "oracle_classification")).toEqual([])
    },
  )
})
