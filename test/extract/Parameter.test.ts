// How a parameter reads typed text.
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import {
  address,
  boolean,
  day,
  instant,
  integer,
  list,
  number,
  oneOf,
  pair,
  type Parameter,
  text,
  token,
} from "../../src/extract/Parameter.ts"
import { parseDay, parseInstant } from "../../src/domain/values/time.ts"

const evm = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"

const readBy = (parameter: Pick<Parameter<never>, "read">, typed: string): unknown => {
  const value = parameter.read(typed)
  return Result.isSuccess(value) ? value.success : `refused: ${value.failure}`
}

describe("typed text", () => {
  const pairs = list(pair(integer(), address()))
  it.each<[string, Pick<Parameter<never>, "read">, string, unknown]>([
    ["integer", integer(), "42", 42],
    ["integer", integer(), "-1", -1],
    ["integer", integer(), "1e3", 1000],
    ["number", number(), "0.10", 0.1],
    ["number", number(), ".5", 0.5],
    ["boolean", boolean, "false", false],
    ["day", day, "2026-01-31", parseDay("2026-01-31")],
    ["instant", instant, "2026-01-31T10:00:00Z", parseInstant("2026-01-31T10:00:00Z")],
    ["text", text, "1", "1"],
    ["choice", oneOf("a", "b"), "c", "c"],
    ["list", list(text), "odos, cow", ["odos", "cow"]],
    ["list", list(number()), "0.5,0.5", [0.5, 0.5]],
    ["list", list(text), '["a,b"]', ["a,b"]],
    ["list of pairs", pairs, `[[1,"${evm}"]]`, [[1, evm]]],
  ])("%s (case %#)", (_kind, parameter, typed, value) => {
    expect(readBy(parameter, typed)).toEqual(value)
  })

  it.each<[Pick<Parameter<never>, "read">, string, string]>([
    [integer(), "", "not a number"],
    [integer(), "0x10", "not a number"],
    [integer(), "1,5", "not a number"],
    [integer(), "9007199254740993", "9007199254740992 would be sent"],
    [number(), "NaN", "not a number"],
    [number(), "0.30000000000000001", "0.3 would be sent"],
    [boolean, "yes", "not true or false"],
    [day, "31.01.2026", "not a day"],
    [day, "2026-02-30", "not a day"],
    [instant, "yesterday", "not an instant"],
    [list(integer()), "1,x", "not a number"],
    [list(integer()), "[1,", "not JSON"],
    [pairs, "x", "not JSON"],
  ])("refused (case %#)", (parameter, typed, why) => {
    expect(readBy(parameter, typed)).toMatch(new RegExp(`^refused: .*${why}`))
  })

  it.effect.prop(
    "a number written out is read back, or the error says what it would become",
    [Schema.Finite],
    ([value]) =>
      Effect.sync(() => {
        expect(readBy(number(), String(value))).toBe(Object.is(value, -0) ? 0 : value)
      }),
  )

  it("a whole number says within which bounds it may be", () => {
    expect(integer().expected).toBe("integer")
    expect(integer({ min: 1 }).expected).toBe("integer of at least 1")
    expect(integer({ min: 1, max: 200 }).expected).toBe("integer from 1 to 200")
  })

  it("a day may be of a year of four digits, an instant of one whose microseconds are exact", () => {
    const last = parseDay("9999-12-31") ?? Number.NaN
    expect(day.validate(last)).toEqual(Result.succeed("9999-12-31"))
    expect(Result.isSuccess(day.validate(last + 1))).toBe(false)
    for (const at of [9_007_199_254_740_000, -9_007_199_254_740_000]) {
      expect(parseInstant(Result.getOrThrow(instant.validate(at)))).toBe(at)
      expect(Result.isSuccess(instant.validate(2 * at))).toBe(false)
    }
  })

  it("text may be of one character, but not of spaces alone", () => {
    expect(Result.isSuccess(text.validate("x"))).toBe(true)
    expect(Result.isSuccess(text.validate(" "))).toBe(false)
    expect(text.schema).toMatchObject({ minLength: 1 })
    expect("x").toMatch(new RegExp(String(text.schema["pattern"])))
    expect(" ").not.toMatch(new RegExp(String(text.schema["pattern"])))
  })

  it("a token may have any name, but one that begins like an address must be an address", () => {
    expect(Result.isSuccess(token.validate("USDC"))).toBe(true)
    expect(Result.isSuccess(token.validate(evm))).toBe(true)
    expect(Result.isSuccess(token.validate(`${evm.slice(0, -1)}6`))).toBe(false)
    expect(Result.isSuccess(token.validate(" "))).toBe(false)
  })
})
