// Which of two figures is the raw amount, however the service spells it, and how a single figure is read.
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type JsonObject, parseJson, type ParsedJson } from "../../src/domain/json.ts"
import * as Result from "effect/Result"
import { amountIn } from "../../src/transform/fields/amounts.ts"
import { fieldWords } from "../../src/transform/fields/fieldWords.ts"

const lossless = (text: string) =>
  Result.getOrThrow<ParsedJson, string>(parseJson(text)).lossless as JsonObject

const isAmount = (name: string) =>
  fieldWords(name).some((word) => word === "amount" || word === "withdrawals")
const read = (record: JsonObject) => amountIn(record, isAmount)

const upTo = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))

/** Names of the two fields of a pair; a dot stands for a nested object. */
const spellings: ReadonlyArray<readonly [raw: string, normalized: string]> = [
  ["amount", "amount_normalized"],
  ["amount", "normalizedAmount"],
  ["amount", "amountFormatted"],
  ["amount", "decimal_amount"],
  ["amount", "uiAmount"],
  ["amount", "human_amount"],
  ["amount_raw", "amount"],
  ["rawAmount", "amount"],
  ["amountWei", "amount"],
  ["amount_raw", "amount_normalized"],
  ["total_withdrawal_amount", "total_withdrawal_amount_normalized"],
  ["totalWithdrawalAmount", "normalizedTotalWithdrawalAmount"],
  ["total_withdrawal_amount", "withdrawals_normalized"],
  ["amount.raw", "amount.normalized"],
  ["amount.amount", "amount.normalized"],
  ["amount.amount", "amount.uiAmount"],
  ["amount.value", "amount.formatted"],
  ["amount.raw", "amount.amount"],
  ["amount.raw", "amount.value"],
  ["total_withdrawals.amount", "total_withdrawals.decimal"],
]

const put = (record: Record<string, unknown>, place: string, value: unknown): void => {
  const [field = "", part] = place.split(".")
  if (part === undefined) record[field] = value
  else record[field] = { ...(record[field] as object | undefined), [part]: value }
}

const Pair = Schema.Struct({
  spelling: upTo(spellings.length - 1),
  /** Millions of the smallest unit, and the rest. */
  millions: upTo(2_000_000_000),
  units: upTo(999_999),
  decimals: upTo(18),
  isText: Schema.Tuple([Schema.Boolean, Schema.Boolean]),
  rawFirst: Schema.Boolean,
  hasDecimals: Schema.Boolean,
})

describe("an amount sent raw and normalized", () => {
  it.effect.prop(
    "is read as both, whatever its names, its order and the types of its figures",
    [Pair],
    ([{ spelling, millions, units, decimals, isText, rawFirst, hasDecimals }]) =>
      Effect.sync(() => {
        const [rawName = "", normalizedName = ""] = spellings[spelling] ?? []
        const raw = millions * 1_000_000 + units
        const normalized = Number((raw / 10 ** decimals).toPrecision(12))
        const record: Record<string, unknown> = {}
        const fields: ReadonlyArray<() => void> = [
          () => put(record, rawName, isText[0] ? String(raw) : raw),
          () => put(record, normalizedName, isText[1] ? normalized.toFixed(18) : normalized),
        ]
        for (const field of rawFirst ? fields : fields.toReversed()) field()
        if (hasDecimals) put(record, rawName.replace(/\w+$/, "decimals"), decimals)
        const found = read(record)
        expect(found.raw).toBe(String(raw))
        expect(found.normalized).toBeCloseTo(normalized, 17)
        // An object that also has the decimals is kept whole.
        const places = new Set([rawName, normalizedName].map((name) => name.split(".")[0]))
        expect(new Set(found.consumed)).toEqual(
          hasDecimals && rawName.includes(".") ? new Set() : places,
        )
      }),
    { arbitrary: { runs: 500 } },
  )

  it("keeps digits that a double loses, unless the raw amount has them", () => {
    expect(read({ amount_normalized: "5000.123456789012345678" })).toEqual({
      raw: null,
      normalized: 5000.123456789012,
      consumed: [],
    })
    expect(
      read(
        lossless('{"amount": 123456789012345678901, "amount_normalized": 123.456789012345678901}'),
      ),
    ).toEqual({
      raw: "123456789012345678901",
      normalized: Number("123.456789012345678901"),
      consumed: ["amount", "amount_normalized"],
    })
  })
})

describe("one figure alone", () => {
  it.each<[string, JsonObject, string | null, number | null]>([
    ["is normalized", { amount: 5000 }, null, 5000],
    ["is normalized as text", { amount: "5000" }, null, 5000],
    ["is raw by its name", { amount_raw: "5000" }, "5000", null],
    ["is raw by its length", lossless('{"amount": 9007199254740993}'), "9007199254740993", null],
    ["is raw as digits next to decimals", { amount: "5000", decimals: 6 }, "5000", null],
    ["is normalized with a point next to decimals", { amount: "5.5", decimals: 6 }, null, 5.5],
    ["is raw next to an empty normalized one", { amount: 7, amount_normalized: null }, "7", null],
    [
      "is raw next to a formatted one",
      { amount: "5000000000", amount_formatted: "5,000.00 USDC" },
      "5000000000",
      null,
    ],
    ["is normalized next to an empty raw one", { amount: "7", amount_raw: null }, null, 7],
  ])("%s", (_, record, raw, normalized) => {
    expect(read(record)).toMatchObject({ raw, normalized })
  })

  it("is not paired with another amount", () => {
    expect(read({ claimed_amount_normalized: 100, amount: 5000 })).toEqual({
      raw: null,
      normalized: 5000,
      consumed: ["amount"],
    })
    expect(read({ max_amount_raw: "100", amount: 5000 })).toMatchObject({ raw: null })
  })

  it("next to a complete pair stays in its field", () => {
    expect(read({ amount: 5000, amount_raw: "5000000000", amount_normalized: 5000 })).toEqual({
      raw: "5000000000",
      normalized: 5000,
      consumed: ["amount_raw", "amount_normalized"],
    })
  })
})
