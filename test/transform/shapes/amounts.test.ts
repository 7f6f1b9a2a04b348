// Token amounts are raw or normalized by a declared name or a declared neighbour, and otherwise neither.
import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { describe, expect } from "vitest"
import { isJsonObject, type JsonObject, parseJson } from "../../../src/domain/values/json.ts"
import type { FieldSetting } from "../../../src/domain/table/shape.ts"
import { defaultTimeFields } from "../../../src/domain/wire/timeFields.ts"
import { withdrawalRows } from "../../../src/transform/tables/vaults/withdrawals/withdrawalRecords.ts"

const address = `0x${"ab".repeat(20)}`
const huge = "123456789012345678901234567890"

/** The rows of one of the tables that withdrawals fill. */
const rowsOf = (record: JsonObject, table: string, fields: Record<string, FieldSetting> = {}) => {
  const { rows } = Result.getOrThrow(
    withdrawalRows(record, {
      lineage: { responseId: "r", receivedAt: 5 },
      subject: { address, wireAddress: address, chainId: 1, kind: "evm", startedOn: undefined },
      inputs: {},
      timeFields: defaultTimeFields,
      fields,
    }),
  )
  const found = rows.find((each) => each.table.name === table)
  return Array.from({ length: found?.length ?? 0 }, (_, row) =>
    Object.fromEntries(
      found?.table.columns.map(({ name }, at) => [name, found.columns[at]?.[row] ?? null]) ?? [],
    ),
  )
}

const lossless = (text: string): JsonObject => {
  const value = Result.getOrThrow(parseJson(text)).lossless
  if (!isJsonObject(value)) throw new Error("no object")
  return value
}

const amountOf = (amounts: JsonObject, fields?: Record<string, FieldSetting>) => {
  const [row] = rowsOf({ pendingQueue: [{ id: "1", ...amounts }] }, "withdrawal_requests", fields)
  return [row?.["amount_raw"], row?.["amount"], row?.["extra"]]
}

describe("an amount of a request", () => {
  it.each<[JsonObject, ReadonlyArray<unknown>]>([
    [{ amount: { raw: "1000000", normalized: "1.5" } }, ["1000000", 1.5, null]],
    [lossless(`{"amount": {"raw": ${huge}, "normalized": 1}}`), [huge, 1, null]],
    [{ amount_raw: "1000000", amount_normalized: 1 }, ["1000000", 1, null]],
    [{ amountRaw: "1000000", amountNormalized: 1 }, ["1000000", 1, null]],
    [{ amountRaw: "1000000", amount: 1 }, ["1000000", 1, null]],
    [{ amount: "1000000", amount_normalized: 1 }, ["1000000", 1, null]],
    [{ amount_raw: "1000000" }, ["1000000", null, null]],
  ])("%j says its units", (amounts, expected) => expect(amountOf(amounts)).toEqual(expected))

  it.each<JsonObject>([
    { amount: "1000000" },
    { amount: 1_000_000 },
    { amount: "1000000", decimals: 6 },
    { amount: 1_000_000, decimals: 6 },
    lossless(`{"amount": ${huge}}`),
    { amount: "1000000", amount_raw: null },
    { amount_wei: "1000000" },
    { amountFormatted: "1.0" },
    { quantity: 1 },
  ])("%j does not, and is kept", (amounts) => {
    const [raw, normalized, extra] = amountOf(amounts)
    expect([raw, normalized]).toEqual([null, null])
    const kept = JSON.parse(String(extra)) as JsonObject
    const sent = Object.keys(amounts).filter((name) => amounts[name] !== null)
    for (const name of sent) expect(kept).toHaveProperty(name)
  })

  it.each<[string, Record<string, FieldSetting>, ReadonlyArray<unknown>]>([
    ["raw", { "withdrawal_requests.amount_raw": "amount" }, ["1000000", null, null]],
    ["normalized", { "withdrawal_requests.amount": "amount" }, [null, 1_000_000, null]],
    [
      "raw, with its scale",
      {
        "withdrawal_requests.amount_raw": "amount",
        "withdrawal_requests.amount": { field: "amount", scale: 0.000001 },
      },
      ["1000000", 1, null],
    ],
  ])("is %s if the setting says so", (_, fields, expected) => {
    expect(amountOf({ amount: "1000000" }, fields)).toEqual(expected)
  })

  it("is in one unit in a whole response: a neighbour in one record says nothing of another", () => {
    const requests = [
      { id: "1", amount: 5, amount_raw: "5000000" },
      { id: "2", amount: 5_000_000 },
    ]
    const rows = rowsOf({ requests }, "withdrawal_requests")
    expect(rows.map((row) => [row["amount_raw"], row["amount"]])).toEqual([
      ["5000000", null],
      [null, null],
    ])
  })

  it("does not depend on a total", () => {
    const rows = rowsOf(
      {
        totalWithdrawals: { raw: "3000000", normalized: 3 },
        requests: [
          { id: "1", amount: 1_000_000 },
          { id: "2", amount: 2_000_000 },
        ],
      },
      "withdrawal_requests",
    )
    expect(rows.map((row) => [row["amount_raw"], row["amount"]])).toEqual([
      [null, null],
      [null, null],
    ])
  })
})

describe("the totals", () => {
  it.effect.prop(
    "no name but a declared one is a total",
    [Schema.String.check(Schema.isPattern(/^[a-z]{3,10}(_[a-z]{3,10}){0,2}$/)), Schema.Int],
    ([name, figure]) =>
      Effect.sync(() => {
        const declared = /^(current_)?total_(assets|withdrawal)|^(pending_)?(queue|requests)/
        if (declared.test(name)) return
        const [row] = rowsOf({ [name]: figure, decimals: 6 }, "withdrawal_summaries")
        expect(row).toMatchObject({ total_withdrawals_raw: null, total_withdrawals: null })
        expect(row).toMatchObject({ total_assets_raw: null, total_assets: null })
      }),
    { arbitrary: { runs: 200 } },
  )

  it("are read under the document's words", () => {
    const record = {
      totalWithdrawalAmount: { raw: huge, normalized: 12.5 },
      current_total_assets_raw: "90",
      current_total_assets: 0.9,
    }
    expect(rowsOf(record, "withdrawal_summaries")).toMatchObject([
      {
        total_withdrawals_raw: huge,
        total_withdrawals: 12.5,
        total_assets_raw: "90",
        total_assets: 0.9,
        extra: null,
      },
    ])
  })
})
