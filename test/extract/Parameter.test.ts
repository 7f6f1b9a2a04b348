// How a parameter reads typed text, and which values it sends.
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import {
  address,
  boolean,
  day,
  documentedAs,
  inBody,
  inPath,
  instant,
  integer,
  list,
  number,
  oneOf,
  optional,
  pair,
  type Parameter,
  text,
  token,
  uuid,
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
    ["list", list(text), " odos,, cow ,", ["odos", "cow"]],
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
    for (const [bound, beyond] of [
      ["0100-01-01", -1],
      ["9999-12-31", 1],
    ] as const) {
      const found = parseDay(bound) ?? Number.NaN
      expect(day.validate(found)).toEqual(Result.succeed(bound))
      expect(Result.isSuccess(day.validate(found + beyond))).toBe(false)
    }
    expect(Result.isSuccess(day.validate(0.5))).toBe(false)
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

/** What is sent, or why nothing is. */
const sentBy = <A>(parameter: Parameter<A>, value: unknown): string => {
  const sent = parameter.validate(value as A)
  return Result.isSuccess(sent) ? sent.success : `refused: ${sent.failure}`
}

describe("a value", () => {
  it.each<[Parameter<never>, unknown, string]>([
    [integer(), -7, "-7"],
    [integer(), 1.5, "refused: is not an integer"],
    [integer({ min: 1 }), 1, "1"],
    [integer({ min: 1 }), 0, "refused: is not an integer of at least 1"],
    [integer({ min: 1, max: 9 }), 9, "9"],
    [integer({ min: 1, max: 9 }), 10, "refused: is not an integer from 1 to 9"],
    [number(), -0.5, "-0.5"],
    [number(), Infinity, "refused: is not a finite number"],
    [number({ min: 0 }), 0, "0"],
    [number({ min: 0 }), -0.1, "refused: is not a finite number of at least 0"],
    [number({ above: 0 }), 0.1, "0.1"],
    [number({ above: 0 }), 0, "refused: is not a finite number above 0"],
    [boolean, false, "false"],
    [boolean, "false", "refused: is not true or false"],
    [oneOf("a", "b"), "b", "b"],
    [oneOf("a", "b"), "c", "refused: is not one of a, b"],
    [uuid, "0B5C1F6E-8F4D-4a3b-9c2d-1e2f3a4b5c6d", "0B5C1F6E-8F4D-4a3b-9c2d-1e2f3a4b5c6d"],
    [uuid, "0b5c1f6e8f4d4a3b9c2d1e2f3a4b5c6d", "refused: is not a UUID"],
    [address(), evm, evm],
    [address("evm"), 7, "refused: is not text"],
    [list(integer()), [1, 2], "[1,2]"],
    [list(integer()), [], "refused: is empty"],
    [list(integer(), { mayBeEmpty: true }), [], "[]"],
    [list(integer()), 1, "refused: is not a list"],
    [list(integer()), [1, "x"], 'refused: has at [1] "x", which is not an integer'],
    [pair(integer(), text), [1, "x"], '[1,"x"]'],
    [pair(integer(), text), [1], "refused: is not a pair"],
    [pair(integer(), text), [1, "x", 2], "refused: is not a pair"],
    [pair(integer(), text), "1x", "refused: is not a pair"],
    [pair(integer(), text), [1.5, "x"], "refused: is not an integer"],
    [pair(integer(), text), [1, ""], "refused: is empty"],
    [text, 7, "refused: is empty"],
    [token, "", "refused: is empty"],
    [token, "0X1", "refused: is not an EVM address: expected 0x and 40 hexadecimal digits"],
  ])("(case %#) is sent as text, or refused with what is wrong", (parameter, value, sent) => {
    expect(sentBy(parameter, value)).toBe(sent)
  })

  it("has the schema of what may be sent", () => {
    expect(integer().schema).toEqual({ type: "integer" })
    expect(integer({ min: 1, max: 9 }).schema).toEqual({ type: "integer", minimum: 1, maximum: 9 })
    expect(number({ above: 0 }).schema).toEqual({ type: "number", exclusiveMinimum: 0 })
    const items = { type: "integer" }
    expect(list(integer()).schema).toEqual({ type: "array", items, minItems: 1 })
    expect(list(integer(), { mayBeEmpty: true }).schema).toEqual({ type: "array", items })
    expect(pair(integer(), integer()).schema).toEqual({
      type: "array",
      prefixItems: [items, items],
      minItems: 2,
      maxItems: 2,
    })
  })

  it("has its place in the request, which it must have in a path", () => {
    expect(text).toMatchObject({ place: "query", required: true })
    expect(optional(text)).toMatchObject({ place: "query", required: false })
    expect(inPath(optional(text))).toMatchObject({ place: "path", required: true })
    expect(inBody(optional(text))).toMatchObject({ place: "body", required: false })
    expect(documentedAs("from", text).documentedName).toBe("from")
  })

  it("says of a number which one it has to be", () => {
    expect(number().expected).toBe("number")
    expect(number({ min: 0 }).expected).toBe("number of at least 0")
    expect(number({ above: 0 }).expected).toBe("number above 0")
    expect(list(pair(integer(), address("evm"))).expected).toBe("list of [integer, EVM address]")
  })
})
