// Finds the rungs of a discount-factor ladder. §2.6 shows neither their fields nor where they are.
import { isJsonObject, type JsonObject } from "../../domain/json.ts"
import { listIn, recordsIn } from "./nestedRecords.ts"
import { numberOf } from "./numbers.ts"

const rungNames = [
  "rungs",
  "ladder",
  "discount_factors",
  "discountFactors",
  "tiers",
  "levels",
  "steps",
]

export interface Ladder {
  /** At least one rung; a ladder without a list of rungs is itself the only rung. */
  readonly rungs: ReadonlyArray<JsonObject>
  /** The record without the field of the rungs. */
  readonly rest: JsonObject
}

export const separateRungs = (ladder: JsonObject): Ladder => {
  const found = listIn(ladder, rungNames, rungsIn)
  if (found === undefined) return flat(ladder)
  const { [found.field]: _, ...rest } = ladder
  return { rungs: found.records, rest }
}

/** Reads a list of records, a list of pairs `[upper bound, factor]`, or a map from bound to factor. */
const rungsIn = (value: unknown): ReadonlyArray<JsonObject> | undefined => {
  if (Array.isArray(value)) {
    if (value.length > 0 && value.every(isPair)) return value.map(asRung)
    return recordsIn(value)
  }
  if (!isJsonObject(value)) return undefined
  const entries = Object.entries(value)
  return entries.length > 0 && entries.every(isPair)
    ? entries.toSorted(([a], [b]) => Number(a) - Number(b)).map(asRung)
    : undefined
}

const isPair = (value: unknown): value is readonly [unknown, unknown] =>
  Array.isArray(value) && value.length === 2 && value.every((each) => numberOf(each) !== undefined)

const asRung = ([upper, factor]: readonly [unknown, unknown]): JsonObject => ({
  upper_bound: upper,
  discount_factor: factor,
})

/** A ladder whose whole record, except the token, is the only rung. */
const flat = ({ address, chain, symbol, ...rung }: JsonObject): Ladder => ({
  rungs: [rung],
  rest: { address, chain, ...(symbol === undefined ? {} : { symbol }) },
})
