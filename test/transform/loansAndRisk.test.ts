// Records of transactions, loans, risk and OTC become rows, in both spellings, with amounts of any size, and nothing is
// lost.
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { type JsonObject, parseJson } from "../../src/domain/values/json.ts"
import { defaultTimeFields } from "../../src/domain/wire/timeFields.ts"
import type { Table } from "../../src/domain/table/table.ts"
import { decode } from "../../src/extract/decode.ts"
import type { AnyEndpoint } from "../../src/extract/Endpoint.ts"
import { collateralExcess as excessEndpoint } from "../../src/extract/endpoints/risk/collateral_excess.ts"
import { collateralSimulation } from "../../src/extract/endpoints/risk/collateral_simulation.ts"
import { discountFactors as laddersEndpoint } from "../../src/extract/endpoints/risk/discount_factors.ts"
import { loans as loansEndpoint } from "../../src/extract/endpoints/loans/loans.ts"
import type { MappedResponse } from "../../src/transform/Source.ts"
import { loanDetailRows, loanDetails } from "../../src/transform/tables/loans/loan_details.ts"
import { loanRows, loans } from "../../src/transform/tables/loans/loans.ts"
import {
  subaccountLoanRows,
  subaccountLoans,
} from "../../src/transform/tables/loans/subaccount_loans.ts"
import {
  otcMarginRequirementRows,
  otcMarginRequirements,
} from "../../src/transform/tables/otc/otc_margin_requirements.ts"
import { otcPositionRows, otcPositions } from "../../src/transform/tables/otc/otc_positions.ts"
import {
  collateralExcess,
  collateralExcessRows,
} from "../../src/transform/tables/risk/collateral_excess.ts"
import { collateralSimulationTokens } from "../../src/transform/tables/risk/collateral_simulation_tokens.ts"
import {
  collateralSimulationRows,
  collateralSimulations,
} from "../../src/transform/tables/risk/collateral_simulations.ts"
import {
  discountFactorRows,
  discountFactors,
} from "../../src/transform/tables/risk/discount_factors.ts"
import {
  transactionRows,
  transactions,
} from "../../src/transform/tables/subaccounts/transactions.ts"

const mixed = "0xAbCdEf0000000000000000000000000000000001"
const lower = mixed.toLowerCase()
const other = "0x00000000000000000000000000000000000000bb"
const huge = "115792089237316195423570985008687907853269984665640564039457584007913129639935"
const receivedAt = 1_780_000_000_000_000
const noon = Date.UTC(2026, 4, 1, 12) * 1000

const source = <S>(subject: S, inputs: JsonObject = {}) => ({
  lineage: { responseId: "r", receivedAt },
  subject,
  inputs,
  timeFields: defaultTimeFields,
})

/** As the client decodes it: every digit kept, documented fields checked. */
const decodedBody = (endpoint: AnyEndpoint, text: string): JsonObject =>
  Result.getOrThrow(decode<JsonObject>(endpoint, parseJson(text)))

const list = (endpoint: AnyEndpoint, text: string): ReadonlyArray<JsonObject> =>
  Result.getOrThrow(decode<ReadonlyArray<JsonObject>>(endpoint, parseJson(text)))

type Row = Readonly<Record<string, unknown>>

/** Rows of one table as objects, with `extra` parsed. */
const rowsOf = (
  mapped: Result.Result<MappedResponse, { readonly detail: string }>,
  table: Table,
): ReadonlyArray<Row> => {
  const found = Result.getOrThrow(mapped).rows.find((rows) => rows.table === table)
  if (found === undefined) throw new Error(`no rows of ${table.name}`)
  return Array.from({ length: found.length }, (_, row) => {
    const filled = table.columns.map(({ name }, column) => [name, found.columns[column]?.[row]])
    const { extra, ...others } = Object.fromEntries(filled) as Row
    return { ...others, extra: typeof extra === "string" ? (JSON.parse(extra) as unknown) : extra }
  })
}

const snake = (text: string): string =>
  text.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The same text with its field names in snake_case. */
const inSnakeCase = (text: string): string =>
  text.replace(/"([A-Za-z]+)":/g, (_, name: string) => `"${snake(name)}":`)

const spellings = (text: string): ReadonlyArray<[string, string]> => [
  ["camelCase", text],
  ["snake_case", inSnakeCase(text)],
]

describe("loans", () => {
  const loan = `{"address":"${mixed}","chainId":1,"lender":"${other}","borrower":"${mixed}","state":"ACTIVE",
    "principalAmount":${huge},"initialPrincipalAmount":"${huge}","interestAmount":"12.340000000000000000001",
    "totalRepaid":0.5,"apr":0.07,"lenderApr":0.05,"deployedDate":"2026-05-01T12:00:00","paymentInterval":30,
    "principalToken":{"symbol":"USDC","address":"${mixed}","decimals":6,"chain":42161,"price":1},
    "upcomingPayment":{"amount":9007199254740993,"dueDate":"2026-05-01"},"somethingElse":[1]}`
  const expected = {
    loan_id: `1:${lower}`,
    chain_id: 1,
    loan_address: lower,
    loan_address_wire: mixed,
    state: "ACTIVE",
    borrower_address: lower,
    lender_address: other,
    principal_amount: Number(huge),
    principal_amount_digits: huge,
    initial_principal_amount: Number(huge),
    initial_principal_amount_digits: huge,
    interest_amount: 12.34,
    interest_amount_digits: "12.340000000000000000001",
    total_repaid: 0.5,
    total_repaid_digits: "0.5",
    apr: 0.07,
    lender_apr: 0.05,
    principal_token_symbol: "USDC",
    principal_token_address: lower,
    principal_token_chain_id: 42161,
    deployed_at: noon,
    payment_interval: "30",
    upcoming_payment_amount: 9007199254740992,
    upcoming_payment_amount_digits: "9007199254740993",
    upcoming_payment_due_at: noon - 12 * 3_600_000_000,
  }

  it.each(spellings(`[${loan}]`))("the book, in %s", (_, text) => {
    const mapped = loanRows(list(loansEndpoint, text), source(null))
    const [row] = rowsOf(mapped, loans)
    expect(row).toMatchObject(expected)
    expect(row?.["upcoming_payment"]).toContain("9007199254740993")
    // extra keeps other spellings of an address and unknown fields, but not what columns hold.
    expect(
      Object.keys(row?.["extra"] as object)
        .map(snake)
        .toSorted(),
    ).toEqual(["borrower", "something_else"])
    expect(Result.getOrThrow(mapped).rows[0]?.mergeKey).toEqual({})
    const drift = Result.getOrThrow(mapped).drift.map(({ path }) => snake(path))
    expect(drift).toEqual(["$.something_else"])
  })

  it("sent twice are one; without chain, address or both they still have a key", () => {
    const records = [
      { address: other, state: "A" },
      { state: "A", address: other },
      { address: other, principal_token: { chain: 1 } },
      { id: "l-1" },
      { state: "B" },
      { address: other, state: "C" },
    ]
    const ids = rowsOf(loanRows(records, source(null)), loans).map((row) => row["loan_id"])
    expect(ids).toEqual([
      other,
      `1:${other}`,
      "l-1",
      expect.stringMatching(/^[0-9a-f]{64}$/),
      `${other}#2`,
    ])
  })

  it("listed under both of their parties are one, and nothing is rejected unless the two contradict each other", () => {
    const common = { address: other, chain: 1, state: "ACTIVE", principal_amount: "100" }
    const ofLender = { ...common, subaccount: lower }
    const ofBorrower = {
      ...common,
      address: other.toUpperCase().replace("X", "x"),
      subaccount: other,
    }
    const read = (...records: ReadonlyArray<JsonObject>) => {
      const mapped = loanRows(records, source(null))
      const ids = rowsOf(mapped, loans).map((row) => row["loan_id"])
      const [rows] = Result.getOrThrow(mapped).rows
      return { ids, rejected: Result.getOrThrow(mapped).rejected, mergeKey: rows?.mergeKey }
    }
    const [id, mergeKey] = [`1:${other}`, {}]
    expect(read(ofLender, ofBorrower)).toEqual({ ids: [id], rejected: [], mergeKey })
    expect(read(ofLender, { ...ofBorrower, principal_amount: "90" })).toMatchObject({
      ids: [id],
      rejected: [{ path: "$[1]", isRepeated: true }],
      mergeKey,
    })
  })

  it("that name no loan are each a loan, although their terms are the same", () => {
    const terms = { state: "ACTIVE", principal_amount: "100" }
    const rows = rowsOf(loanRows([terms, terms, { id: 7 }, { id: 7 }], source(null)), loans)
    const id: unknown = expect.stringMatching(/^[0-9a-f]{64}(#2)?$/)
    expect(rows.map((row) => row["loan_id"])).toEqual([id, id, "7"])
  })

  it("the detail of a loan is keyed by the request, even if its record lacks chain and address", () => {
    const subject = { loanId: `1:${lower}`, chainId: 1, address: lower, wireAddress: mixed }
    const [row] = rowsOf(loanDetailRows({ state: "REPAID" }, source(subject)), loanDetails)
    expect(row).toMatchObject({ ...subjectColumns, state: "REPAID", extra: null })
  })
  const subjectColumns = {
    loan_id: `1:${lower}`,
    chain_id: 1,
    loan_address: lower,
    loan_address_wire: mixed,
  }

  it("of a subaccount have its side, and positions contain their loan", () => {
    const subject = { address: lower, wireAddress: mixed }
    const records = [
      { address: other, chain: 1, borrower: lower, lender: other },
      { address: other, chain: 2, borrower: other, lender: mixed },
      { is_borrow: true, state: "OPEN", book: { address: other, chain: 3, state: "ACTIVE" } },
    ]
    const mapped = subaccountLoanRows(records, source(subject))
    const rows = rowsOf(mapped, subaccountLoans)
    expect(rows.map((row) => row["side"])).toEqual(["BORROWER", "LENDER", null])
    expect(rows[2]).toMatchObject({
      loan_id: `3:${other}`,
      is_borrow: true,
      state: "ACTIVE",
      extra: { position: { state: "OPEN" } },
    })
    expect(Result.getOrThrow(mapped).rows[0]?.mergeKey).toEqual({ subaccount_address: lower })
  })
})

describe("transactions", () => {
  const subject = { address: lower, wireAddress: mixed }
  const one = `{"transactionHash":"0xAB","chainId":1,"blockNumber":9007199254740993,"blockTimestamp":"2026-05-01T12:00:00Z",
    "functionName":"deposit","status":"success","from":"${mixed}","decodedLogs":[{"value":${huge}}],"transfers":[],"gas":"1"}`

  it.each(spellings(`[${one}]`))("in %s", (_, text) => {
    const [row] = rowsOf(transactionRows(list(loansEndpoint, text), source(subject)), transactions)
    expect(row).toMatchObject({
      subaccount_address: lower,
      executed_at: noon,
      transaction_id: "1:0xab",
      chain_id: 1,
      transaction_hash: "0xab",
      status: "success",
      is_failed: false,
      function_name: "deposit",
      block_number: "9007199254740993",
      from_address: lower,
      to_address: null,
      transfers: "[]",
      decoded_logs: `[{"value":${huge}}]`,
    })
    expect(row?.["extra"]).toMatchObject({ gas: "1", from: mixed })
  })

  it("are keyed by id, else by chain and hash, else by content", () => {
    const time = { timestamp: "2026-05-01T12:00:00Z" }
    const records = [
      { ...time, id: 7, hash: "0x1" },
      { ...time, hash: "0x1", chain: { id: 1 } },
      { ...time, hash: "0x1", chain: { id: 1 }, log: 2 },
      { ...time, hash: "0x1", chain: { id: 2 } },
      { ...time, note: "a" },
      { ...time, note: "a" },
    ]
    const rows = rowsOf(transactionRows(records, source(subject)), transactions)
    const ids = rows.map((row) => row["transaction_id"])
    expect(ids.slice(0, 4)).toEqual(["7", "1:0x1", "1:0x1#2", "2:0x1"])
    expect(ids[5]).toBe(`${String(ids[4])}#2`)
  })

  it("keep their ids, whatever else a response has under the same id at another time", () => {
    const earlier = { timestamp: "2026-05-01T12:00:00Z", id: 7, chain: 1 }
    const later = { timestamp: "2026-05-01T13:00:00Z", id: 7, chain: 10 }
    const read = (...records: ReadonlyArray<JsonObject>) =>
      rowsOf(transactionRows(records, source(subject)), transactions)
    const [first] = read(earlier)
    expect(first).toMatchObject({ executed_at: noon, transaction_id: "7" })
    const others = read(later, { ...earlier, chain: 2 }, { ...later, chain: 2 })
    expect(others.map((row) => row["transaction_id"])).toEqual(["7", "7", "7#2"])
    expect(read(later, earlier)[1]).toEqual(first)
  })

  it("are one row each, although a response repeats them; other content under the same hash is a row of its own", () => {
    const transaction = {
      timestamp: "2026-05-01T12:00:00Z",
      hash: "0x1",
      chain: 1,
      logs: [{ a: 1, b: 2 }],
    }
    const reordered = {
      logs: [{ b: 2, a: 1 }],
      chain: 1,
      hash: "0x1",
      timestamp: transaction.timestamp,
    }
    const further = { ...transaction, logs: [] }
    const byId = { timestamp: transaction.timestamp, id: 7 }
    const once = rowsOf(
      transactionRows([transaction, further, byId], source(subject)),
      transactions,
    )
    expect(once.map((row) => row["transaction_id"])).toEqual(["1:0x1", "1:0x1#2", "7"])
    const records = [transaction, transaction, further, reordered, byId, further, byId]
    expect(rowsOf(transactionRows(records, source(subject)), transactions)).toEqual(once)
  })

  // Comparing each with all before it takes minutes.
  it("are as many under one id as a response has", () => {
    const records = Array.from({ length: 20_000 }, (_, log) => ({
      timestamp: "2026-05-01T12:00:00Z",
      id: 7,
      logs: [{ log }],
    }))
    const mapped = transactionRows([...records, ...records.slice(0, 9)], source(subject))
    expect(Result.getOrThrow(mapped).rows[0]?.length).toBe(20_000)
  })

  it("that are rejected are named by their place in the response", () => {
    const transaction = { timestamp: "2026-05-01T12:00:00Z", hash: "0x1" }
    const mapped = transactionRows(
      [transaction, transaction, { ...transaction, timestamp: "then" }],
      source(subject),
    )
    expect(Result.getOrThrow(mapped).rejected).toMatchObject([{ path: "$[2].timestamp" }])
  })

  it.each([
    [{ is_failed: true }, true],
    [{ success: true }, false],
    [{ isError: false }, false],
    [{ status: "0x0" }, true],
    [{ status: 0 }, null],
    [{ status: "1" }, null],
    [{ status: "REVERTED" }, true],
    // A mined transaction may have failed.
    [{ status: "mined" }, null],
    [{ success: "perhaps" }, null],
    [{}, null],
  ])("%j: failed is %s", (said, failed) => {
    const records = [{ timestamp: "2026-05-01T12:00:00Z", ...said }]
    const [row] = rowsOf(transactionRows(records, source(subject)), transactions)
    expect(row?.["is_failed"]).toBe(failed)
    if ("success" in said && said.success === "perhaps") expect(row?.["extra"]).toEqual(said)
  })

  it.each([
    [{ network: { chain_id: 8453, name: "Base" } }],
    [{ chain: { id: "8453" } }],
    [{ chain: "base", network: { chainId: 8453 } }],
  ])("are on the chain that %j names, which stays as it was", (said) => {
    const records = [{ timestamp: "2026-05-01T12:00:00Z", hash: "0x1", ...said }]
    const [row] = rowsOf(transactionRows(records, source(subject)), transactions)
    expect(row).toMatchObject({ chain_id: 8453, transaction_id: "8453:0x1", extra: said })
  })

  it("without a time fail with the fields they have", () => {
    const mapped = transactionRows([{ hash: "0x1", when: "then" }], source(subject))
    expect(Result.isFailure(mapped) && mapped.failure.detail).toContain("hash, when")
  })
})

describe("discount factors", () => {
  const ladders = `[{"address":"${mixed}","chain":1,"symbol":"WETH","rungs":[{"upToUsd":1000000,"discountFactor":0.9},{"discountFactor":"0.8","note":"n"}]},
    {"address":"${other}","chain":1,"max_ltv":0.5,"ladder":[{"upToUsd":1000,"discountFactor":0.7},{"upToUsd":"${huge}","discountFactor":0.6}]},
    {"address":"${other}","chain":3,"discount_factor":0.2}]`

  it.each([
    ["camelCase", ladders],
    [
      "snake_case",
      ladders.replaceAll("upToUsd", "up_to_usd").replaceAll("discountFactor", "discount_factor"),
    ],
  ])("one row a rung, however the ladder is laid out: %s", (_, text) => {
    const mapped = discountFactorRows(list(laddersEndpoint, text), source(null))
    const rows = rowsOf(mapped, discountFactors)
    expect(
      rows.map((row) => [
        row["chain_id"],
        row["token_address"],
        row["rung"],
        row["upper_bound"],
        row["discount_factor"],
      ]),
    ).toEqual([
      [1, lower, 1, 1_000_000, 0.9],
      [1, lower, 2, null, 0.8],
      [1, other, 1, 1000, 0.7],
      [1, other, 2, Number(huge), 0.6],
      [3, other, 1, null, 0.2],
    ])
    expect(rows[0]).toMatchObject({ token_address_wire: mixed, symbol: "WETH", ladder: null })
    expect(rows[1]?.["extra"]).toEqual({ note: "n" })
    expect(rows[2]?.["ladder"]).toBe('{"max_ltv":0.5}')
    // extra keeps digits beyond a double.
    expect(Object.values(rows[3]?.["extra"] as JsonObject)).toEqual([huge])
    expect(Result.getOrThrow(mapped).rows[0]?.mergeKey).toEqual({})
  })

  it.each([
    { levels: [[1000, 0.7]] },
    { discount_factors: { "1000": 0.4 } },
    { tiers: [{ up_to_usd: 1, discount_factor: 0.9 }] },
    { rungs: [{ up_to_usd: 1, ltv: 0.9 }] },
    { max_ltv: 0.5 },
  ])("%j is in no declared shape, and is rejected", (ladder) => {
    const good = { address: mixed, chain: 1, discount_factor: 0.9 }
    const mapped = discountFactorRows([{ address: other, chain: 1, ...ladder }, good], source(null))
    const { rows, rejected } = Result.getOrThrow(mapped)
    expect(rejected).toMatchObject([{ path: "$[0]" }])
    expect(rows[0]?.length).toBe(1)
    // The others may not be the whole set.
    expect(rows[0]?.mergeKey).toBeUndefined()
  })

  it("without an address or chain are rejected", () => {
    const mapped = discountFactorRows(
      [{ address: other, chain: "mainnet", discount_factor: 1 }],
      source(null),
    )
    expect(Result.isFailure(mapped) && mapped.failure.path).toBe("$[0].chain")
  })
})

describe("collateral", () => {
  const subject = {
    subaccount: { address: lower, wireAddress: mixed },
    chainId: 1,
    token: { address: other, wireAddress: other },
  }

  it.each(
    spellings(`{"amount_usd":-1.5,"tokenAmount":"0.1234567890123456789","targetHealthFactor":1.3}`),
  )("excess or deficit, in %s", (_, text) => {
    const record = decodedBody(excessEndpoint, text)
    const [row] = rowsOf(collateralExcessRows(record, source(subject)), collateralExcess)
    expect(row).toEqual({
      subaccount_address: lower,
      chain_id: 1,
      token_address: other,
      target_health_factor: 1.3,
      amount_usd: -1.5,
      token_amount: 0.12345678901234568,
      token_amount_digits: "0.1234567890123456789",
      reported_at: null,
      reported_times: null,
      extra: null,
    })
  })

  it("the target is that of the request, else the service's default", () => {
    const target = (inputs: JsonObject) =>
      rowsOf(
        collateralExcessRows({ amount_usd: 0 }, source(subject, inputs)),
        collateralExcess,
      )[0]?.["target_health_factor"]
    expect(target({ targetHealthFactor: 2 })).toBe(2)
    expect(target({})).toBe(1.2)
  })

  it("an excess without amount_usd is rejected", () => {
    const mapped = collateralExcessRows({ amount: 1 }, source(subject))
    expect(Result.isFailure(mapped) && mapped.failure.path).toBe("$.amount_usd")
  })

  it("a simulation's token without a chain gets that of the scenario's token", () => {
    const record = {
      total_required_collateral_usd: 1,
      tokens: [{ address: mixed, required_usd: 1 }],
    }
    const chainOf = (tokens: ReadonlyArray<readonly [number, string]>) =>
      rowsOf(
        collateralSimulationRows(record, source({ name: "s" }, { collateral_tokens: tokens })),
        collateralSimulationTokens,
      )[0]?.["chain_id"]
    expect(chainOf([[8453, lower]])).toBe(8453)
    expect(
      chainOf([
        [8453, lower],
        [1, mixed],
      ]),
    ).toBe(null)
  })

  const inputs = { loan_amount: 5 }
  it.each([
    ["a list", `"tokens":[{"chain":1,"address":"${mixed}","effectiveDiscountFactor":0.9,"x":1}]`],
    ["a map", `"per_token":{"${mixed}":{"chain":1,"effective_discount_factor":0.9,"x":1}}`],
    [
      "camelCase",
      `"tokenBreakdown":[{"chainId":1,"token":"${mixed}","effectiveDiscountFactor":0.9,"x":1}]`,
    ],
  ])("a simulation with its breakdown: %s", (_, breakdown) => {
    const text = `{"total_required_collateral_usd":10,"totalDebt":8,"health_factor":1.2,${breakdown}}`
    const record = decodedBody(collateralSimulation, text)
    const mapped = collateralSimulationRows(record, source({ name: "s" }, inputs))
    expect(rowsOf(mapped, collateralSimulations)).toEqual([
      {
        scenario: "s",
        inputs: '{"loan_amount":5}',
        total_required_collateral_usd: 10,
        total_debt: 8,
        resulting_health_factor: 1.2,
        reported_at: null,
        reported_times: null,
        extra: null,
      },
    ])
    const [token, ...more] = rowsOf(mapped, collateralSimulationTokens)
    expect(more).toEqual([])
    expect(token).toMatchObject({
      scenario: "s",
      ordinal: 1,
      chain_id: 1,
      token_address: lower,
      effective_discount_factor: 0.9,
      extra: { x: 1 },
    })
  })
})

describe("OTC", () => {
  it.each(
    spellings(
      `[{"id":9007199254740993,"subaccountAddress":"${mixed}","value":${huge},"settlementType":"cash","trades":[{"units":${huge}}],"x":1}]`,
    ),
  )("positions, in %s", (_, text) => {
    const mapped = otcPositionRows(list(loansEndpoint, text), source(null))
    const [row] = rowsOf(mapped, otcPositions)
    expect(row).toMatchObject({
      position_id: "9007199254740993",
      subaccount_address: lower,
      value: Number(huge),
      value_digits: huge,
      settlement_type: "cash",
      trades: `[{"units":${huge}}]`,
    })
    expect(row?.["extra"]).toMatchObject({ x: 1 })
    expect(row?.["extra"]).not.toHaveProperty("id")
    expect(Result.getOrThrow(mapped).rows[0]?.mergeKey).toEqual({})
  })

  it.each(
    spellings(
      `[{"otcCounterpartyId":"c","payer":"${mixed}","requiredUsd":"${huge}"},{"otcCounterpartyId":"c","payer":"${mixed}","requiredUsd":"${huge}"}]`,
    ),
  )("margin requirements without an id have different keys, in %s", (_, text) => {
    const mapped = otcMarginRequirementRows(list(loansEndpoint, text), source(null))
    const rows = rowsOf(mapped, otcMarginRequirements)
    expect(rows[0]).toMatchObject({
      otc_counterparty_id: "c",
      payer_address: lower,
      required: Number(huge),
      required_digits: huge,
      posted: null,
    })
    expect(rows[1]?.["requirement_id"]).toBe(`${String(rows[0]?.["requirement_id"])}#2`)
  })
})
