// Inputs of endpoints as values: where they go on the wire, and the rule each must pass before any
// request is sent (§7, client-side validation).
import * as Result from "effect/Result"
import { type AddressKind, parseAddress } from "../domain/address.ts"
import { formatDay, parseDay } from "../domain/time.ts"

export interface Parameter<A> {
  readonly place: "path" | "query"
  readonly required: boolean
  /** What is expected, for messages and documentation. */
  readonly expected: string
  /**
   * Set where the document writes the wire name in backticks, which makes it certain; every other
   * name is the client-side name and configuration may say otherwise.
   */
  readonly certainName?: string
  /** The value to send, or what is wrong with the one given. */
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

/** A finite number of at least `min`. */
export const number = (bounds: { readonly min?: number } = {}): Parameter<number> => {
  const expected = bounds.min === undefined ? "number" : `number of at least ${bounds.min}`
  return make(expected, (value) =>
    Number.isFinite(value) && value >= (bounds.min ?? -Infinity)
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

export const text: Parameter<string> = make("non-empty text", (value) =>
  value.trim().length > 0 ? Result.succeed(value) : Result.fail("is empty"),
)
