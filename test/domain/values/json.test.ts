import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Result from "effect/Result"
import {
  asDigits,
  asNumber,
  isJsonObject,
  parseBody,
  parseJson as parse,
  stableStringify,
} from "../../../src/domain/values/json.ts"

const parseJson = (text: string) => Result.getOrThrow(parse(text))

/** The number times a power of ten that makes it whole. */
const scaled = (text: string): bigint => {
  const [mantissa = "", exponent = "0"] = text.toLowerCase().split("e")
  const [whole = "", fraction = ""] = mantissa.split(".")
  return BigInt(whole + fraction) * 10n ** BigInt(Number(exponent) - fraction.length + 400)
}

const isSame = (one: string, other: string): boolean => scaled(one) === scaled(other)

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
    const parsed = parseJson('{"ratio":0.012345678901234568,"at":"2026-01-01","n":1.5e-12}')
    expect(parsed.lossless).toBe(parsed.plain)
  })

  it.each([
    "65000.123456789012345678",
    "1.10000000000000000001",
    "0.12345678901234567890123",
    "-1.00000000000000012345",
    "1e400",
    "100000000.12345677",
    "1.2345678901234567e18",
    "1e-400",
    "1.23456789e-318",
    "-1E-999",
    `0.${"0".repeat(330)}1`,
  ])("keeps %s, which no double holds", (text) => {
    const { lossless } = parseJson(`{"v":[${text}]}`)
    expect(stableStringify(lossless)).toBe(`{"v":[${text}]}`)
  })

  it.each(["0e-400", "0.000", "5e-324", "1e-307", '"9e-4000-8000"', '"6b3e-123"'])(
    "needs no raw number for %s",
    (text) => {
      const { plain, lossless } = parseJson(`{"v":[${text}]}`)
      expect(lossless).toEqual(plain)
    },
  )

  it.effect.prop("a double comes back as it was", [Schema.Finite], ([value]) =>
    Effect.sync(() => {
      const { plain, lossless } = parseJson(JSON.stringify([value]))
      expect(plain).toEqual([Object.is(value, -0) ? 0 : value])
      // Whole numbers beyond 2^53 keep their spelling.
      if (!Number.isInteger(value) || Number.isSafeInteger(value)) expect(lossless).toEqual(plain)
    }),
  )

  const digits = Schema.String.check(Schema.isPattern(/^\d{1,25}$/))
  const spelling = Schema.Struct({
    // Shifts the number, since the search looks at one character in sixteen.
    padding: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 40 })),
    before: Schema.Literals(["[", "[ ", "[-", "[1,", '[{"v":', '["7",\n', "[[-"]),
    whole: Schema.String.check(Schema.isPattern(/^(0|[1-9]\d{0,24})$/)),
    fraction: Schema.Union([Schema.Literal(""), digits]),
    exponent: Schema.Literals(["", "e5", "E+12", "e-7", "e+308", "E309", "e0000"]),
  })

  it.effect.prop(
    "keeps the spelling of exactly the numbers whose digits no double has, wherever they are",
    [spelling],
    ([{ padding, before, whole, fraction, exponent }]) =>
      Effect.sync(() => {
        const number = `${whole}${fraction === "" ? "" : `.${fraction}`}${exponent}`
        const brackets = before.includes("{") ? "}]" : before === "[[-" ? "]]" : "]"
        const text = `${" ".repeat(padding)}${before}${number}${brackets}`
        const isHeld =
          Number.isFinite(Number(number)) &&
          (number === whole
            ? Number.isSafeInteger(Number(whole))
            : isSame(String(Number(number)), number))
        const { plain, lossless } = parseJson(text)
        if (isHeld) expect(lossless).toEqual(plain)
        else expect(stableStringify(lossless)).toContain(number)
      }),
  )

  it.effect.prop("integers of any size survive", [Schema.BigInt], ([value]) =>
    Effect.sync(() => {
      const { lossless } = parseJson(`{"v":${value}}`)
      expect(isJsonObject(lossless) && asDigits(lossless["v"])).toBe(String(value))
      const double = Number(value)
      expect(isJsonObject(lossless) && asNumber(lossless["v"])).toBe(
        Number.isFinite(double) ? double : undefined,
      )
    }),
  )
})

describe("parseBody", () => {
  it("reads UTF-8 with or without a byte order mark, and no other encoding", () => {
    for (const mark of ["", "\ufeff"]) {
      const body = Buffer.from(`${mark}{"summary":"café"}`)
      expect(Result.getOrThrow(parseBody(body)).plain).toEqual({ summary: "café" })
    }
    const latin = Buffer.from('{"summary":"caf\xe9"}', "latin1")
    expect(Result.merge(parseBody(latin))).toContain("is not JSON: it is not UTF-8")
  })
})

describe("a hostile text", () => {
  it("with half of a surrogate pair parses as well-formed text, in keys too", () => {
    const text = String.raw`{"caf\ud83d":["\uDE00 ok \ud83d\ude00"],"n":123456789012345678}`
    const { plain, lossless } = parseJson(text)
    expect(plain).toEqual({ "caf\ufffd": ["\ufffd ok 😀"], n: 123456789012345680 })
    expect(stableStringify(lossless)).toBe('{"caf\ufffd":["\ufffd ok 😀"],"n":123456789012345678}')
  })

  it("with a number beyond any double keeps its text and yields no double", () => {
    const { lossless } = parseJson('{"v":1e400}')
    expect(isJsonObject(lossless) && asNumber(lossless["v"])).toBeUndefined()
    expect(asNumber(Infinity)).toBeUndefined()
    expect(stableStringify(lossless)).toBe('{"v":1e400}')
  })

  // Looking at the same digits again from each of them takes hours.
  it.each([
    ["digits in a string", `"${"1".repeat(2_000_000)}"`],
    ["points in a string", `"x${".".repeat(2_000_000)}"`],
    ["zeros of a fraction", `1.${"0".repeat(2_000_000)}1`],
  ])("with millions of %s is read", (_, value) => {
    const text = `{"v":[${value},123456789012345678]}`
    expect(stableStringify(parseJson(text).lossless)).toBe(text)
  })

  it.each(["[", '{"a":'])("that nests %s a hundred thousand times is refused", (opening) => {
    const brackets = opening === "[" ? "]" : "}"
    const text = `${opening.repeat(100_000)}1${brackets.repeat(100_000)}`
    expect(Result.getOrThrow(Result.flip(parse(text)))).toBe(
      "nests arrays and objects more than 100 deep",
    )
  })

  it("may nest a hundred deep", () => {
    expect(stableStringify(parseJson(`${"[".repeat(100)}${"]".repeat(100)}`).plain)).toHaveLength(
      200,
    )
  })
})

describe("stableStringify", () => {
  it("writes the same content the same way", () => {
    expect(stableStringify({ b: 1, a: { d: [2, { z: 1, y: 2 }], c: null } })).toBe(
      stableStringify({ a: { c: null, d: [2, { y: 2, z: 1 }] }, b: 1 }),
    )
  })
})
