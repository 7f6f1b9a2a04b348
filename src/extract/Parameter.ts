// Inputs of endpoints as values: where they go on the wire, and the rule each must pass before any
// request is sent (§7, client-side validation).
import * as Result from "effect/Result"
import { type AddressKind, parseAddress } from "../domain/address.ts"
import { formatDay, formatInstant, parseDay } from "../domain/time.ts"

export interface Parameter<A> {
  /** A path parameter that a configured path does not mention goes to the query. */
  readonly place: "path" | "query" | "body"
  readonly required: boolean
  /** What is expected, for messages and documentation. */
  readonly expected: string
  /**
   * Set where the document writes the wire name in backticks, which makes it certain; every other
   * name is the client-side name and configuration may say otherwise.
   */
  readonly certainName?: string
  /** The value as text (a body carries the value as it is), or what is wrong with the one given. */
  readonly validate: (value: A) => Result.Result<string, string>
}

export type Parameters = Readonly<Record<string, Parameter<never>>>

export type ParameterValue<P> = P extends Parameter<infer A> ? A : never

const make = <A>(
  expected: string,
  validate: (value: A) => Result.Result<string, string>,
): Parameter<A> => ({ place: "query", required: true, expected, validate })

export const optional = <A>(
  parameter: Parameter<A>,
): Parameter<A> & { readonly required: false } => ({
  ...parameter,
  required: false,
})

export const inPath = <A>(parameter: Parameter<A>): Parameter<A> & { readonly required: true } => ({
  ...parameter,
  place: "path",
  required: true,
})

/** A field of the JSON body; the document shows their names, so they are sent as they are (§2.6, §2.11). */
export const inBody = <P extends Parameter<never>>(parameter: P): P => ({
  ...parameter,
  place: "body",
})

/** For names the document writes in backticks. */
export const certainly = <A>(name: string, parameter: Parameter<A>): Parameter<A> => ({
  ...parameter,
  certainName: name,
})

/** An address of one of the kinds; sent as given, since some services compare spellings. */
export const address = (...kinds: ReadonlyArray<AddressKind>): Parameter<string> => {
  const allowed: ReadonlyArray<AddressKind> =
    kinds.length > 0 ? kinds : ["evm", "solana", "stellar"]
  return make(`${allowed.join(", ")} address`, (value) =>
    Result.map(parseAddress(value, allowed), () => value),
  )
}

/** A whole number within bounds, both inclusive. */
export const integer = (
  bounds: { readonly min?: number; readonly max?: number } = {},
): Parameter<number> => {
  const { min, max } = bounds
  const range =
    min === undefined ? "" : max === undefined ? ` of at least ${min}` : ` from ${min} to ${max}`
  const expected = `integer${range}`
  return make(expected, (value) =>
    Number.isSafeInteger(value) && value >= (min ?? -Infinity) && value <= (max ?? Infinity)
      ? Result.succeed(String(value))
      : Result.fail(`is not an ${expected}`),
  )
}

/** A finite number of at least `min`, or above `above`. */
export const number = (
  bounds: { readonly min?: number; readonly above?: number } = {},
): Parameter<number> => {
  const expected =
    bounds.min !== undefined
      ? `number of at least ${bounds.min}`
      : bounds.above !== undefined
        ? `number above ${bounds.above}`
        : "number"
  return make(expected, (value) =>
    Number.isFinite(value) &&
    value >= (bounds.min ?? -Infinity) &&
    value > (bounds.above ?? -Infinity)
      ? Result.succeed(String(value))
      : Result.fail(`is not a finite ${expected}`),
  )
}

export const boolean: Parameter<boolean> = make("true or false", (value) =>
  typeof value === "boolean" ? Result.succeed(String(value)) : Result.fail("is not true or false"),
)

/** A day, `YYYY-MM-DD` on the wire, days since 1970 here. */
export const day: Parameter<number> = make("day (YYYY-MM-DD)", (value) =>
  Number.isSafeInteger(value) && parseDay(formatDay(value)) === value
    ? Result.succeed(formatDay(value))
    : Result.fail("is not a day"),
)

export const oneOf = <const A extends string>(...values: ReadonlyArray<A>): Parameter<A> =>
  make(values.join(", "), (value) =>
    values.includes(value)
      ? Result.succeed(value)
      : Result.fail(`is not one of ${values.join(", ")}`),
  )

/** An instant, ISO-8601 in UTC on the wire, microseconds since 1970 here. */
export const instant: Parameter<number> = make("instant (ISO-8601)", (value) =>
  Number.isSafeInteger(value) ? Result.succeed(formatInstant(value)) : Result.fail("is no instant"),
)

const uuidText = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export const uuid: Parameter<string> = make("UUID", (value) =>
  uuidText.test(value) ? Result.succeed(value) : Result.fail("is not a UUID"),
)

/** A list, each of its items valid; not empty unless that is said to be allowed. */
export const list = <A>(
  item: Parameter<A>,
  { mayBeEmpty = false }: { readonly mayBeEmpty?: boolean } = {},
): Parameter<ReadonlyArray<A>> =>
  make(`list of ${item.expected}`, (values) => {
    if (!Array.isArray(values)) return Result.fail("is not a list")
    if (values.length === 0 && !mayBeEmpty) return Result.fail("is empty")
    for (const [index, value] of values.entries()) {
      const valid = item.validate(value as A)
      if (Result.isFailure(valid)) {
        return Result.fail(`has at [${index}] ${JSON.stringify(value)}, which ${valid.failure}`)
      }
    }
    return Result.succeed(JSON.stringify(values))
  })

/** A pair of two values, each by its own rule. */
export const pair = <A, B>(first: Parameter<A>, second: Parameter<B>): Parameter<readonly [A, B]> =>
  make(`[${first.expected}, ${second.expected}]`, (value) => {
    if (!Array.isArray(value) || value.length !== 2) return Result.fail("is not a pair")
    const one = first.validate(value[0] as A)
    if (Result.isFailure(one)) return one
    const two = second.validate(value[1] as B)
    return Result.isFailure(two) ? two : Result.succeed(JSON.stringify(value))
  })

export const text: Parameter<string> = make("non-empty text", (value) =>
  value.trim().length > 0 ? Result.succeed(value) : Result.fail("is empty"),
)
