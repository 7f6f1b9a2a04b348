// The layouts of an allocation point (§2.9 shows only its date): long, nested or wide, all read as a list
// of { protocol, value, share, …rest }.
import { asNumber, isJsonObject, type JsonObject } from "../../domain/json.ts"
import { defaultTimeFields } from "../../domain/timeFields.ts"
import { fieldWords } from "./fieldWords.ts"
import { isReportTime } from "./reportTimes.ts"
import { numberOf } from "./takenFields.ts"

const protocolFields = ["protocol", "protocol_name", "protocolName", "protocol_id", "name"]
const valueFields = [
  "value_usd",
  "valueUsd",
  "usd_value",
  "usdValue",
  "total_usd",
  "totalUsd",
  "amount_usd",
  "amountUsd",
  "usd",
  "value",
  "amount",
  "tvl",
  "nav",
]
const shareFields = ["share", "weight", "allocation_pct", "allocationPct", "pct", "percentage"]
// What a field that holds a point's allocations is called, its words joined.
const container =
  /^(protocol_|strategy_)?(allocations?|breakdown|positions|holdings)(_by_(protocol|strategy))?$|^(by_)?protocols?$|^strategies$/

const present = (point: JsonObject, names: ReadonlyArray<string>): string | undefined =>
  names.find((name) => numberOf(point[name]) !== undefined)

/** A figure served as text as the number it is. */
const figure = (value: unknown): unknown => (typeof value === "string" ? numberOf(value) : value)

/** Names of figures: numbers, or where there are none texts that are numbers. */
const figuresIn = (
  point: JsonObject,
  isBeside: (name: string) => boolean,
): ReadonlyArray<string> => {
  const names = Object.keys(point).filter((name) => !isBeside(name))
  const numbers = names.filter((name) => asNumber(point[name]) !== undefined)
  return numbers.length > 0 ? numbers : names.filter((name) => numberOf(point[name]) !== undefined)
}

const without = (point: JsonObject, ...names: ReadonlyArray<string | undefined>): JsonObject =>
  Object.fromEntries(Object.entries(point).filter(([name]) => !names.includes(name)))

/** Allocations by protocol in one point; `dayField` is the point's date and no allocation. */
export const allocationsOf = (point: JsonObject, dayField: string): ReadonlyArray<JsonObject> => {
  const rest = without(point, dayField)
  const named = protocolFields.find((name) => typeof rest[name] === "string")
  if (named !== undefined) return [long(rest, named)]
  const field = containerOf(rest)
  if (field === undefined) return wide(rest, isAside)
  const value = rest[field]
  const shared = without(rest, field)
  // The day's own figures (a total, say) stand beside each allocation; they are no allocation's value.
  const allocations = Array.isArray(value)
    ? value.flatMap((item: JsonObject) => allocationsOf(item, dayField))
    : inMap(value as JsonObject)
  return allocations.map((allocation) => ({ ...shared, ...allocation }))
}

/** Whether a point says that nothing is allocated: what allocations are called is there, and empty. */
export const tellsNone = (point: JsonObject, dayField: string): boolean => {
  const rest = without(point, dayField)
  const field = containerOf(rest)
  if (field === undefined || !isContainer(field)) return false
  const isNamed = protocolFields.some((name) => typeof rest[name] === "string")
  return !isNamed && Object.keys(rest[field] as object).length === 0
}

const isContainer = (name: string): boolean => container.test(fieldWords(name).join("_"))

/** The field the allocations are in: the one of such a name, else the only one that can be it. */
const containerOf = (point: JsonObject): string | undefined => {
  const nested = Object.keys(point).filter((name) => {
    const value = point[name]
    return isJsonObject(value) || (Array.isArray(value) && value.every(isJsonObject))
  })
  const named = nested.find(isContainer)
  if (named !== undefined) return named
  const [only, ...others] = nested
  if (only === undefined || others.length > 0) return undefined
  // Beside figures by protocol it is none of them; with a value of its own it is one of them.
  const value = point[only]
  const isOne = isJsonObject(value) && isAllocation(value)
  return isOne || figuresIn(point, isAside).length > 0 ? undefined : only
}

const isAllocation = (record: JsonObject): boolean =>
  present(record, valueFields) !== undefined || present(record, shareFields) !== undefined

const long = (point: JsonObject, protocolField: string): JsonObject => {
  const shareField = present(point, shareFields)
  const valueField = present(point, valueFields) ?? onlyNumber(without(point, shareField))
  return {
    ...without(point, protocolField, valueField, shareField),
    protocol: point[protocolField],
    ...(valueField === undefined ? {} : { value: figure(point[valueField]) }),
    ...(shareField === undefined ? {} : { share: figure(point[shareField]) }),
  }
}

const total =
  /^(grand_?)?totals?(_?(value|usd|value_?usd|usd_?value|nav|tvl|aum|assets|amount|balance|allocated|allocations?|share|weight|pct|percentage))?$/i
const whole = new Set([...defaultTimeFields, "day", "time", "block", "block_number", "blockNumber"])

/**
 * Identifiers, times and the day's totals are numbers too, and no protocol's value. Whole names only: one that
 * begins or ends like them may be a protocol's.
 */
const isAside = (name: string): boolean =>
  whole.has(name) ||
  isReportTime(name) ||
  total.test(name) ||
  /^(nav|tvl|aum|count|sum)$/i.test(name) ||
  /^(chain|network)(_?(id|name|type))?$/i.test(name) ||
  /^((point|record|row|snapshot|vault|subaccount|account|run|block)_?)?id$/i.test(name)

/** The one numeric field, when there is just one: then it can only be the value. */
const onlyNumber = (point: JsonObject): string | undefined => {
  const [only, ...others] = figuresIn(point, isAside)
  return others.length === 0 ? only : undefined
}

/** A map of protocols to numbers, or to objects that hold one; beside a number an object must hold one. */
const wide = (map: JsonObject, isBeside: (name: string) => boolean): ReadonlyArray<JsonObject> => {
  const figures = new Set(figuresIn(map, isBeside))
  const beside: Record<string, unknown> = {}
  const allocations: Array<JsonObject> = []
  for (const [protocol, value] of Object.entries(map)) {
    if (figures.has(protocol)) allocations.push({ protocol, value: figure(value) })
    else if (isJsonObject(value) && (figures.size === 0 || isAllocation(value))) {
      allocations.push(long({ ...value, protocol }, "protocol"))
    } else beside[protocol] = value
  }
  return allocations.map((allocation) => ({ ...beside, ...allocation }))
}

/** Each name of a map of its own is a protocol, but a total that the others add up to. */
const inMap = (map: JsonObject): ReadonlyArray<JsonObject> =>
  wide(map, (name) => {
    if (!total.test(name)) return false
    const sum = wide(without(map, name), () => false)
      .map(({ value }) => asNumber(value) ?? 0)
      .reduce((one, other) => one + other, 0)
    return Math.abs((numberOf(map[name]) ?? 0) - sum) <= 1e-6 * Math.abs(sum)
  })
