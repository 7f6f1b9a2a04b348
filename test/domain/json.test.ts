import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Result from "effect/Result"
import {
  asDigits,
  asNumber,
  isJsonObject,
  parseJson as parse,
  stableStringify,
} from "../../src/domain/json.ts"

const parseJson = (text: string) => Result.getOrThrow(parse(text))

const uint256 = "115792089237316195423570985008687907853269984665640564039457584007913129639935"

describe("parseJson", () => {
  it.each([`{"amount":${uint256}}`, `{"amount": ${uint256}}`, `{"amount":"${uint256}"}`])(
    "keeps every digit of %s",
    (text) => {
      const { lossless } = parseJson(text)
      expect(isJsonObject(lossless) && asDigits(lossless["amount"])).toBe(uint256)
    },
  )

  it("keeps digits inside arrays, nested objects and negative numbers", () => {
    const text = `{"a":[1,${uint256},-${uint256}],"b":{"c":${uint256}}}`
    expect(stableStringify(parseJson(text).lossless)).toBe(text)
  })

  it("gives schemas plain numbers", () => {
    expect(parseJson(`[${uint256}]`).plain).toEqual([Number(uint256)])
  })

  it("parses once when no number can lose a digit", () => {
    const parsed = parseJson('{"ratio":0.012345678901234567,"at":"2026-01-01","n":1.5e-12}')
    expect(parsed.lossless).toBe(parsed.plain)
  })

  it.each([
    "65000.123456789012345678",
    "1.10000000000000000001",
    "0.12345678901234567890123",
    "-1.00000000000000012345",
    "1e400",
  ])("keeps %s, which no double holds", (text) => {
    const { lossless } = parseJson(`{"v":[${text}]}`)
    expect(stableStringify(lossless)).toBe(`{"v":[${text}]}`)
  })

  it.effect.prop("a double comes back as it was", [Schema.Finite], ([value]) =>
    Effect.sync(() => {
      const { plain, lossless } = parseJson(JSON.stringify([value]))
      expect(plain).toEqual([Object.is(value, -0) ? 0 : value])
      // Whole numbers beyond 2^53 are kept as they are spelt.
      if (!Number.isInteger(value) || Number.isSafeInteger(value)) expect(lossless).toEqual(plain)
    }),
  )

  const digits = Schema.String.check(Schema.isPattern(/^\d{1,25}$/))
  const spelling = Schema.Struct({
    before: Schema.Literals(["[", "[ ", "[-", "[1,", '[{"v":', '["7",\n', "[[-"]),
    whole: Schema.String.check(Schema.isPattern(/^(0|[1-9]\d{0,24})$/)),
    fraction: Schema.Union([Schema.Literal(""), digits]),
    exponent: Schema.Literals(["", "e5", "E+12", "e-7", "e+308", "E309", "e0000"]),
  })

  it.effect.prop(
    "keeps the spelling of exactly the numbers no double holds, wherever they stand",
    [spelling],
    ([{ before, whole, fraction, exponent }]) =>
      Effect.sync(() => {
        const number = `${whole}${fraction === "" ? "" : `.${fraction}`}${exponent}`
        const closing = before.includes("{") ? "}]" : before === "[[-" ? "]]" : "]"
        const significant = `${whole}${fraction}`.replace(/^0+|0+$/g, "")
        const isHeld =
          Number.isFinite(Number(number)) &&
          (number === whole ? Number.isSafeInteger(Number(whole)) : significant.length <= 17)
        const { plain, lossless } = parseJson(`${before}${number}${closing}`)
        if (isHeld) expect(lossless).toEqual(plain)
        else expect(stableStringify(lossless)).toContain(number)
      }),
  )

  it.effect.prop("integers of any size survive", [Schema.BigInt], ([value]) =>
    Effect.sync(() => {
      const { lossless } = parseJson(`{"v":${value}}`)
      expect(isJsonObject(lossless) && asDigits(lossless["v"])).toBe(String(value))
      expect(isJsonObject(lossless) && asNumber(lossless["v"])).toBe(Number(value))
    }),
  )
})

describe("stableStringify", () => {
  it("writes the same content the same way", () => {
    expect(stableStringify({ b: 1, a: { d: [2, { z: 1, y: 2 }], c: null } })).toBe(
      stableStringify({ a: { c: null, d: [2, { y: 2, z: 1 }] }, b: 1 }),
    )
  })
})
