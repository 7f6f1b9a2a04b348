// Subaccount records become rows, in both spellings, with amounts of any size, and nothing is lost.
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { isJsonObject, type JsonObject, parseJson } from "../../src/domain/values/json.ts"
import type { Rows } from "../../src/domain/table/table.ts"
import { decode } from "../../src/extract/decode.ts"
import type { Violation } from "../../src/domain/wire/violation.ts"
import type { AnyEndpoint } from "../../src/extract/Endpoint.ts"
import { healthFactor } from "../../src/extract/endpoints/subaccounts/health_factor.ts"
import { protocolPositions as protocolEndpoint } from "../../src/extract/endpoints/subaccounts/protocol_positions.ts"
import { subaccountDirectory } from "../../src/extract/endpoints/subaccounts/subaccount_directory.ts"
import { subaccountSummary } from "../../src/extract/endpoints/subaccounts/subaccount_summary.ts"
import { contentKeys } from "../../src/transform/contentKey.ts"
import {
  cefiPositionRows,
  protocolPositionRows,
  subaccountOtcPositionRows,
} from "../../src/transform/tables/subaccounts/positionRecords.ts"
import type { MappedResponse } from "../../src/transform/Source.ts"
import {
  directoryRows,
  directoryWindows,
  mySubaccountRows,
  vaultSubaccountRows,
} from "../../src/transform/tables/subaccounts/subaccountRecords.ts"
import {
  type SummaryRecord,
  summaryRows,
} from "../../src/transform/tables/subaccounts/summaryRecords.ts"
import { whitelistStatusRows } from "../../src/transform/tables/curator/whitelist_status.ts"
import { healthFactorRows } from "../../src/transform/tables/subaccounts/health_factors.ts"

const address = "0xAbCdEf0000000000000000000000000000000001"
const canonical = address.toLowerCase()
const token = "0x00000000000000000000000000000000000000aA"
const huge = "115792089237316195423570985008687907853269984665640564039457584007913129639935"

const source = <S>(subject: S) => ({
  lineage: { responseId: "r", receivedAt: 1_780_000_000_000_000 },
  subject,
  inputs: {},
  timeFields: [],
})
const subaccount = source({ address: canonical, wireAddress: address })
const vault = source({
  address: "0x00000000000000000000000000000000000000bb",
  wireAddress: "0x00000000000000000000000000000000000000BB",
  chainId: 1,
  kind: "evm" as const,
  startedOn: undefined,
})

/** The value of a body, decoded by the endpoint's schema. */
const read = <A>(
  endpoint: AnyEndpoint & { readonly response: Schema.Codec<A, unknown> },
  body: string,
): A => Result.getOrThrow(decode<A>(endpoint, parseJson(body)))

/** Where the first record that does not conform breaks the contract. */
const failedAt = (mapped: Result.Result<MappedResponse, Violation>): string =>
  (Result.isFailure(mapped) ? mapped.failure.path : mapped.success.rejected[0]?.path) ?? "none"

const objects = ({ table, columns, length }: Rows): ReadonlyArray<Record<string, unknown>> =>
  Array.from({ length }, (_, row) =>
    Object.fromEntries(
      table.columns.map(({ name }, column) => [name, columns[column]?.[row] ?? null]),
    ),
  )

const rowsOf = (mapped: Result.Result<MappedResponse, unknown>, table: string) =>
  Result.getOrThrow(mapped).rows.flatMap((rows) => (rows.table.name === table ? objects(rows) : []))

const scopes = (mapped: Result.Result<MappedResponse, unknown>) =>
  Result.getOrThrow(mapped).rows.map(({ mergeKey: scope }) => scope)

describe("lists of subaccounts", () => {
  const snake = {
    address,
    internal_name: "alpha",
    friendly_name: "Alpha",
    status: "active",
    subaccount_type: "subaccount",
    chains: [{ chain_id: 1, name: "Ethereum", id: 7 }],
    min_health_factor: 1.2,
    estimated_apr: 0.05,
    id: 12,
    implementation: "v2",
    later: { a: 1 },
  }
  const camel = {
    subaccountAddress: address,
    internalName: "alpha",
    friendlyName: "Alpha",
    status: "active",
    type: "subaccount",
    chains: [{ chain_id: 1, name: "Ethereum", id: 7 }],
    minHealthFactor: 1.2,
    estimatedApr: 0.05,
    id: "12",
    implementation: "v2",
    later: { a: 1 },
  }
  const row = {
    subaccount_address: canonical,
    subaccount_address_wire: address,
    subaccount_id: "12",
    internal_name: "alpha",
    friendly_name: "Alpha",
    status: "active",
    subaccount_type: "subaccount",
    chains: '[{"chain_id":1,"id":7,"name":"Ethereum"}]',
    min_health_factor: 1.2,
    estimated_apr: 0.05,
    implementation: "v2",
    reported_at: null,
    reported_times: null,
    extra: '{"later":{"a":1}}',
  }

  it("are read in either spelling", () => {
    for (const item of [snake, camel]) {
      const items = read(subaccountDirectory, JSON.stringify([item]))
      expect(rowsOf(directoryRows(items, source(null)), "subaccounts")).toEqual([row])
      expect(rowsOf(mySubaccountRows(items, source(null)), "my_subaccounts")).toEqual([row])
      expect(rowsOf(vaultSubaccountRows(items, vault), "vault_subaccounts")).toEqual([
        { vault_address: vault.subject.address, chain_id: 1, ...row },
      ])
    }
  })

  it("are the whole set of the request, unless the directory moved", () => {
    expect(scopes(directoryRows([snake], source(null)))).toEqual([{}])
    const moving = { ...source(null), window: directoryWindows.moving }
    expect(scopes(directoryRows([snake], moving))).toEqual([undefined])
    expect(scopes(mySubaccountRows([snake], source(null)))).toEqual([{}])
    expect(scopes(vaultSubaccountRows([snake], vault))).toEqual([
      { vault_address: vault.subject.address },
    ])
  })

  it("an item without an address is rejected, and the error names its fields", () => {
    const unnamed = { name: "x", status: "active" }
    const mapped = directoryRows([snake, unnamed], source(null))
    expect(Result.getOrThrow(mapped).rejected).toEqual([
      {
        path: "$[1]",
        detail: expect.stringContaining("its fields are name, status") as unknown,
        record: unnamed,
      },
    ])
    expect(rowsOf(mapped, "subaccounts")).toHaveLength(1)
    // It may be any stored subaccount, so none is retired.
    expect(scopes(mapped)).toEqual([undefined])
  })
})

describe("whitelist status", () => {
  it("is read for each linked subaccount, with its other fields", () => {
    const records = [
      { subaccount_address: address, is_whitelisted: true, note: "n" },
      { subaccount: { address: token, name: "b" }, is_whitelisted: false },
    ]
    const mapped = whitelistStatusRows(records, vault)
    expect(rowsOf(mapped, "whitelist_status")).toMatchObject([
      { subaccount_address: canonical, is_whitelisted: true, extra: '{"note":"n"}' },
      {
        subaccount_address: token.toLowerCase(),
        is_whitelisted: false,
        extra: `{"subaccount":{"address":"${token}","name":"b"}}`,
      },
    ])
    expect(scopes(mapped)).toEqual([{ vault_address: vault.subject.address }])
  })

  it("is not decided by the order of two records that contradict each other", () => {
    const mapped = whitelistStatusRows(
      [
        { subaccount_address: address, chain_id: 1, is_whitelisted: false },
        { subaccount_address: token, chain_id: 1, is_whitelisted: true },
        { subaccount_address: canonical, chain_id: 8453, is_whitelisted: true },
      ],
      vault,
    )
    expect(rowsOf(mapped, "whitelist_status")).toMatchObject([
      { subaccount_address: canonical, is_whitelisted: false },
      { subaccount_address: token.toLowerCase() },
    ])
    const { rejected } = Result.getOrThrow(mapped)
    expect(rejected).toMatchObject([{ path: "$[2]", record: { chain_id: 8453 } }])
    expect(rejected[0]?.detail).toBe(
      "is of the same vault_address and subaccount_address as $[0], and differs from it in is_whitelisted",
    )
    // The set is whole: what is rejected has the key of a member.
    expect(scopes(mapped)).toEqual([{ vault_address: vault.subject.address }])
  })

  it("is one where two records of it differ only in fields that have no column", () => {
    const perChain = [1, 8453].map((chain_id) => ({
      subaccount_address: address,
      chain_id,
      is_whitelisted: true,
    }))
    expect(Result.getOrThrow(whitelistStatusRows(perChain, vault)).rejected).toEqual([])
  })

  it("may be sent twice, in another spelling and at another time of the report", () => {
    const twice = [address, canonical].map((subaccount_address, day) => ({
      subaccount_address,
      is_whitelisted: true,
      reported_at: `2026-01-0${day + 1}`,
    }))
    const mapped = whitelistStatusRows(twice, vault)
    expect(Result.getOrThrow(mapped).rejected).toEqual([])
    expect(scopes(mapped)).toEqual([{ vault_address: vault.subject.address }])
  })

  it("requires is_whitelisted", () => {
    expect(failedAt(whitelistStatusRows([{ address }], vault))).toBe("$[0].is_whitelisted")
  })
})

describe("health factor", () => {
  const documented = {
    healthFactor: 1.4,
    totalCollateral: 140,
    totalLoan: 100,
    dateTime: "2026-05-01T10:00:00+02:00",
    id: "0x01",
    more: [1],
  }
  const older = {
    health_factor: 1.4,
    total_collateral_value: 140,
    total_loan_value: 100,
    datetime: "2026-05-01T08:00:00",
    id: "0x01",
    more: [1],
  }

  it.each([
    ["documented", documented],
    ["older", older],
  ])("is read under its %s names", (_, body) => {
    const record = read(healthFactor, JSON.stringify(body))
    expect(rowsOf(healthFactorRows(record, subaccount), "health_factors")).toEqual([
      {
        subaccount_address: canonical,
        health_factor_id: "0x01",
        calculated_at: Date.UTC(2026, 4, 1, 8) * 1000,
        health_factor: 1.4,
        total_collateral: 140,
        total_loan: 100,
        extra: '{"more":[1]}',
      },
    ])
  })

  it.each(["healthFactor", "totalCollateral", "totalLoan", "dateTime", "id"])(
    "requires %s",
    (name) => {
      const { [name]: _missing, ...rest } = documented as Record<string, unknown>
      expect(failedAt(healthFactorRows(rest, subaccount))).toBe(`$.${name}`)
    },
  )

  it("accepts a figure that is null or in text", () => {
    const body = { ...documented, healthFactor: null, totalLoan: "100.5" }
    const mapped = healthFactorRows(body, subaccount)
    expect(rowsOf(mapped, "health_factors")).toMatchObject([
      { health_factor: null, total_loan: 100.5, extra: '{"more":[1]}' },
    ])
  })

  it("refuses an invalid time", () => {
    const failed = healthFactorRows({ ...documented, dateTime: "soon" }, subaccount)
    expect(Result.isFailure(failed)).toBe(true)
  })
})

const summary = `{
  "address": "${address}", "name": "alpha", "type": "subaccount",
  "chains": [{"chain_id": 1}],
  "tokens": [
    {"symbol": "USDC", "address": "${token}", "chain": 1, "decimals": 6, "price": 1.0001,
     "raw_balance": ${huge}, "balance": 1.5, "value": 1.5},
    {"symbol": "ETH", "tokenAddress": "${token}", "chainId": 8453, "rawBalance": "${huge}", "tier": "a"}
  ],
  "healthFactor": 2, "netAccountValue": 1, "totalAccountValue": 2, "totalCollateralValue": 3,
  "totalEquityValue": 4, "totalLoanValue": 5,
  "loanbook": {
    "aggregatesByToken": [{"symbol": "USDC", "debt": 7, "credit": 8, "rate": 0.1}],
    "loans": [
      {"is_borrow": true, "book": {"address": "${token}", "state": "ACTIVE", "principal_amount": ${huge}},
       "debt_info": {"interest_owed": 1}},
      {"loanAddress": "${token}", "chainId": 1, "state": "REPAID", "side": "BORROWER"}
    ],
    "totalCredit": 6, "totalDebt": 7, "calculatedAt": "2026-05-01"
  },
  "portfolio": {
    "cefiPositions": [{"value": 1, "name": "perp", "spot_tokens": [], "units": ${huge}}],
    "collateralBalances": ["${token}"],
    "defiPositions": [{"protocol": "aave", "chain": "eth", "netUsdValue": 3, "assetUsdValue": 5, "debtUsdValue": 2}],
    "discountedValue": 9, "legacyHedgerPositions": [], "marginBalances": [{"symbol": "USDC"}],
    "otcPositions": [{"underlying": "ETH", "value": 1}], "strategyContractPositions": [{"name": "s"}],
    "tokens": [{"symbol": "USDC"}], "totalValue": 10, "trsPositions": [{"name": "t"}, {"name": "t"}],
    "currency": "USD"
  },
  "owner": "o"
}`

describe("subaccount summary", () => {
  const fromSummary = summaryRows(read(subaccountSummary, summary), subaccount)
  const rows = (table: string) => rowsOf(fromSummary, table)

  it("is one row of its figures; undocumented fields keep their place", () => {
    expect(rows("subaccount_summaries")).toEqual([
      {
        subaccount_address: canonical,
        name: "alpha",
        type: "subaccount",
        chains: '[{"chain_id":1}]',
        health_factor: 2,
        net_account_value: 1,
        total_account_value: 2,
        total_collateral_value: 3,
        total_equity_value: 4,
        total_loan_value: 5,
        total_credit: 6,
        total_debt: 7,
        portfolio_discounted_value: 9,
        portfolio_total_value: 10,
        reported_at: null,
        reported_times: '{"loanbook.calculatedAt":"2026-05-01"}',
        extra: `{"address":"${address}","loanbook":{},"owner":"o","portfolio":{"currency":"USD"}}`,
      },
    ])
  })

  it("keeps every digit of the tokens of both lists", () => {
    expect(rows("subaccount_tokens")).toMatchObject([
      {
        list: "summary",
        ordinal: 0,
        symbol: "USDC",
        token_address: token.toLowerCase(),
        chain_id: 1,
        decimals: 6,
        price: 1.0001,
        raw_balance: huge,
        balance: 1.5,
        value: 1.5,
      },
      {
        list: "summary",
        ordinal: 1,
        chain_id: 8453,
        raw_balance: huge,
        extra: `{"tier":"a","tokenAddress":"${token}"}`,
      },
      { list: "portfolio", ordinal: 0, symbol: "USDC", extra: null },
    ])
  })

  it("keeps positions of every kind, even those that are not records", () => {
    const positions = rows("subaccount_portfolio_positions")
    expect(positions.map(({ kind, ordinal }) => `${String(kind)} ${String(ordinal)}`)).toEqual([
      "cefi 0",
      "collateral 0",
      "defi 0",
      "margin 0",
      "otc 0",
      "strategy 0",
      "trs 0",
      "trs 1",
    ])
    expect(positions[0]).toMatchObject({
      name: "perp",
      value: 1,
      extra: `{"spot_tokens":[],"units":${huge}}`,
    })
    expect(positions[1]).toMatchObject({ extra: `{"element":"${token}"}` })
    expect(positions[2]).toMatchObject({
      protocol: "aave",
      net_usd_value: 3,
      asset_usd_value: 5,
      debt_usd_value: 2,
      chain_id: null,
      extra: '{"chain":"eth"}',
    })
  })

  it("keeps loans, wherever their address is, and sums by token", () => {
    expect(rows("subaccount_summary_loans")).toMatchObject([
      {
        ordinal: 0,
        loan_address: token.toLowerCase(),
        state: "ACTIVE",
        is_borrow: true,
        book: `{"address":"${token}","principal_amount":${huge},"state":"ACTIVE"}`,
        debt_info: '{"interest_owed":1}',
      },
      { ordinal: 1, loan_address: token.toLowerCase(), chain_id: 1, state: "REPAID" },
    ])
    expect(rows("subaccount_loan_aggregates")).toMatchObject([
      { symbol: "USDC", debt: 7, credit: 8, extra: '{"rate":0.1}' },
    ])
  })

  it("is the whole set of the subaccount, empty lists included", () => {
    for (const { table, mergeKey: scope } of Result.getOrThrow(fromSummary).rows) {
      const isList = table.name !== "subaccount_summaries"
      expect(scope, table.name).toEqual(isList ? { subaccount_address: canonical } : undefined)
    }
  })

  it("requires every documented field, nested ones included", () => {
    const whole = JSON.parse(summary) as Record<string, unknown>
    for (const [part, path] of [
      [whole, "$"],
      [whole["loanbook"], "$.loanbook"],
      [whole["portfolio"], "$.portfolio"],
    ] as ReadonlyArray<[Record<string, unknown>, string]>) {
      for (const name of Object.keys(part)) {
        if (["address", "owner", "calculatedAt", "currency"].includes(name)) continue
        const { [name]: _missing, ...rest } = part
        const field = path.slice(2)
        const body = field === "" ? rest : { ...whole, [field]: rest }
        const decoded = decode<SummaryRecord>(subaccountSummary, parseJson(JSON.stringify(body)))
        const mapped = Result.flatMap(decoded, (record) => summaryRows(record, subaccount))
        expect(failedAt(mapped)).toBe(`${path}.${name}`)
      }
    }
  })

  it("a figure that is no number costs the account's record, not its tokens, positions and loans", () => {
    const odd = summary.replace('"netAccountValue": 1', '"netAccountValue": "unknown"')
    const mapped = summaryRows(read(subaccountSummary, odd), subaccount)
    expect(failedAt(mapped)).toBe("$.netAccountValue")
    expect(rowsOf(mapped, "subaccount_summaries")).toEqual([])
    for (const table of ["subaccount_tokens", "subaccount_summary_loans"]) {
      expect(rowsOf(mapped, table)).toEqual(rows(table))
    }
  })
})

describe("positions of a subaccount", () => {
  it("are keyed by id, else by content; equal ones are numbered", () => {
    const records: ReadonlyArray<JsonObject> = [
      { id: "a", name: "x", value: 1, spot_tokens: [{ symbol: "BTC" }] },
      { name: "y", value: 2, derivativePositions: [] },
      { value: 2, name: "y", derivativePositions: [] },
    ]
    const mapped = cefiPositionRows(records, subaccount)
    const rows = rowsOf(mapped, "cefi_positions")
    const [first, second, third] = rows.map((row) => String(row["position_key"]))
    expect(first).toBe("a")
    expect(second).toMatch(/^[0-9a-f]{64}$/)
    expect(third).toBe(`${second}#2`)
    expect(rows).toMatchObject([
      { name: "x", spot_tokens: '[{"symbol":"BTC"}]', extra: null },
      { name: "y", derivative_positions: "[]", extra: null },
      { name: "y" },
    ])
    expect(scopes(mapped)).toEqual([{ subaccount_address: canonical }])
  })

  it("OTC positions are read in either spelling", () => {
    const mapped = subaccountOtcPositionRows(
      [
        { id: 5, settlement_type: "cash", asset_type: "option", trades: [{ units: 1 }] },
        { id: "b", settlementType: "cash", assetType: "option", settlementCurrency: "USD" },
      ],
      subaccount,
    )
    expect(rowsOf(mapped, "subaccount_otc_positions")).toMatchObject([
      { position_key: "5", settlement_type: "cash", asset_type: "option", trades: '[{"units":1}]' },
      { position_key: "b", settlement_type: "cash", settlement_currency: "USD" },
    ])
  })

  const answer = `{
    "totalUsdValue": 12, "raw": ${huge},
    "positions": [
      {"protocol": "aave", "chain": "eth", "assetUsdValue": 5, "debtUsdValue": 2, "netUsdValue": 3},
      {"protocol": "aave", "chain": 1, "netUsdValue": 3}
    ],
    "tokens": [{"symbol": "USDC", "address": "${token}", "chain_id": 1, "raw_balance": ${huge}}],
    "strategies": {"main": {"positions": [{"protocol": "aave"}], "value": 4}},
    "warnings": ["late"]
  }`

  it("a protocol record becomes positions, tokens, strategies and a record of its other fields", () => {
    const record = read(protocolEndpoint, answer)
    const mapped = protocolPositionRows(record, subaccount)
    const rows = rowsOf(mapped, "protocol_positions")
    expect(rows).toMatchObject([
      { kind: "position", protocol: "aave", chain: "eth", chain_id: null, net_usd_value: 3 },
      { kind: "position", protocol: "aave", chain: null, chain_id: 1, extra: null },
      {
        kind: "token",
        symbol: "USDC",
        token_address: token.toLowerCase(),
        chain_id: 1,
        raw_balance: huge,
      },
      {
        kind: "strategy",
        name: "main",
        value: 4,
        extra: '{"positions":[{"protocol":"aave"}]}',
      },
      {
        kind: "record",
        position_key: "record",
        extra: `{"raw":${huge},"totalUsdValue":12,"warnings":["late"]}`,
      },
    ])
    expect(
      new Set(rows.map(({ kind, position_key: key }) => JSON.stringify([kind, key]))).size,
    ).toBe(5)
    // Without positions the response counts as empty, despite its other fields.
    expect(
      Result.getOrThrow(mapped).rows.map(({ mergeKey, secondary }) => [mergeKey, secondary]),
    ).toEqual([
      [{ subaccount_address: canonical, kind: "position" }, undefined],
      [{ subaccount_address: canonical, kind: "token" }, undefined],
      [{ subaccount_address: canonical, kind: "strategy" }, undefined],
      [{ subaccount_address: canonical, kind: "record" }, "total"],
    ])
  })

  it("a bare list of positions becomes positions", () => {
    const records = read(protocolEndpoint, '[{"protocol": "aave"}]')
    expect(rowsOf(protocolPositionRows(records, subaccount), "protocol_positions")).toMatchObject([
      { kind: "position", protocol: "aave", extra: null },
    ])
  })
})

describe("contentKeys", () => {
  it("depend on every digit, but not on the order of fields", () => {
    const parsed = Result.getOrThrow(parseJson(`[{"a":1,"b":${huge}},{"b":${huge},"a":1}]`))
    const records = (parsed.lossless as ReadonlyArray<unknown>).filter(isJsonObject)
    const [one, two] = contentKeys(records)
    expect(two).toBe(`${one}#2`)
    const other = Result.getOrThrow(parseJson(`[{"a":1,"b":${huge.slice(0, -1)}6}]`))
    expect(contentKeys(other.lossless as ReadonlyArray<JsonObject>)).not.toEqual([one])
  })

  it("are those of the double that a number of 16 or 17 digits was", () => {
    const keysOf = (text: string) =>
      contentKeys(Result.getOrThrow(parseJson(text)).lossless as ReadonlyArray<JsonObject>)
    expect(keysOf(`[{"a":{"b":[100000000.12345677]}}]`)).toEqual(
      keysOf(`[{"a":{"b":[100000000.12345678]}}]`),
    )
    expect(keysOf(`[{"a":100000000.123456777}]`)).not.toEqual(keysOf(`[{"a":100000000.12345678}]`))
  })

  it("are unique, whatever the ids look like", () => {
    const ids = ["a", "a#2", "a", "a", "a#2", ""]
    const keys = contentKeys(ids.map((id) => ({ id })))
    expect(new Set(keys).size).toBe(ids.length)
    expect(keys.slice(0, 2)).toEqual(["a", "a#2"])
  })

  it("use the first id field present, numbers of any size included", () => {
    const parsed = Result.getOrThrow(parseJson(`[{"uuid":"u","id":${huge}},{"uuid":null,"id":3}]`))
    const records = parsed.lossless as ReadonlyArray<JsonObject>
    expect(contentKeys(records)).toEqual([huge, "3"])
    expect(contentKeys(records, ["uuid", "id"])).toEqual(["u", "3"])
  })
})
