// Reads an allocation point, whose layout may be long, nested or wide (§2.9 shows only the date), as a list of
// { protocol, value, share, …rest }.
import { asNumber, isJsonObject, type JsonObject } from "../../domain/json.ts"
import { defaultTimeFields } from "../../domain/timeFields.ts"
import { fieldWords } from "./fieldWords.ts"
import { isReportTime } from "./reportTimes.ts"
import { numberOf } from "./numbers.ts"

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
// Names of a field that contains a point's allocations, in snake_case.
const containerName =
  /^(protocol_|strategy_)?(allocations?|breakdown|positions|holdings)(_by_(protocol|strategy))?$|^(by_)?protocols?$|^strategies$/

const present = (point: JsonObject, names: ReadonlyArray<string>): string | undefined =>
  names.find((name) => numberOf(point[name]) !== undefined)

/** Converts text to a number. */
const figure = (value: unknown): unknown => (typeof value === "string" ? numberOf(value) : value)

/** The names of the fields with numbers; if there are none, of those with numbers as text. */
const figuresIn = (
  point: JsonObject,
  isIgnored: (name: string) => boolean,
): ReadonlyArray<string> => {
  const names = Object.keys(point).filter((name) => !isIgnored(name))
  const numbers = names.filter((name) => asNumber(point[name]) !== undefined)
  return numbers.length > 0 ? numbers : names.filter((name) => numberOf(point[name]) !== undefined)
}

const without = (point: JsonObject, ...names: ReadonlyArray<string | undefined>): JsonObject =>
  Object.fromEntries(Object.entries(point).filter(([name]) => !names.includes(name)))

/** The allocations of one point by protocol; `dayField` is the field of its date. */
export const allocationsOf = (point: JsonObject, dayField: string): ReadonlyArray<JsonObject> => {
  const rest = without(point, dayField)
  const named = protocolFields.find((name) => typeof rest[name] === "string")
  if (named !== undefined) return [long(rest, named)]
  const field = containerOf(rest)
  if (field === undefined) return wide(rest, isNotAllocation)
  const value = rest[field]
  const shared = without(rest, field)
  // Figures of the whole day, such as a total, become part of each allocation's `extra`.
  const allocations = Array.isArray(value)
    ? value.flatMap((item: JsonObject) => allocationsOf(item, dayField))
    : inMap(value as JsonObject)
  return allocations.map((allocation) => ({ ...shared, ...allocation }))
}

/** Whether the point's field for allocations is empty, so that nothing is allocated. */
export const hasNoAllocation = (point: JsonObject, dayField: string): boolean => {
  const rest = without(point, dayField)
  const field = containerOf(rest)
  if (field === undefined || !isContainer(field)) return false
  const isNamed = protocolFields.some((name) => typeof rest[name] === "string")
  return !isNamed && Object.keys(rest[field] as object).length === 0
}

const isContainer = (name: string): boolean => containerName.test(fieldWords(name).join("_"))

/** The field with the allocations: found by its name, or else the only candidate. */
const containerOf = (point: JsonObject): string | undefined => {
  const nested = Object.keys(point).filter((name) => {
    const value = point[name]
    return isJsonObject(value) || (Array.isArray(value) && value.every(isJsonObject))
  })
  const named = nested.find(isContainer)
  if (named !== undefined) return named
  const [only, ...others] = nested
  if (only === undefined || others.length > 0) return undefined
  // A record with a value is itself an allocation, and a field next to figures by protocol is not the container.
  const value = point[only]
  const isOne = isJsonObject(value) && isAllocation(value)
  return isOne || figuresIn(point, isNotAllocation).length > 0 ? undefined : only
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
const ignoredNames = new Set([
  ...defaultTimeFields,
  "day",
  "time",
  "block",
  "block_number",
  "blockNumber",
])

/**
 * Whether a field is an identifier, a time or a total of the day, which are numbers but not allocations. Only whole
 * names match, because the name of a protocol may begin or end the same way.
 */
const isNotAllocation = (name: string): boolean =>
  ignoredNames.has(name) ||
  isReportTime(name) ||
  total.test(name) ||
  /^(nav|tvl|aum|count|sum)$/i.test(name) ||
  /^(chain|network)(_?(id|name|type))?$/i.test(name) ||
  /^((point|record|row|snapshot|vault|subaccount|account|run|block)_?)?id$/i.test(name)

/** The only numeric field, which must then be the value. */
const onlyNumber = (point: JsonObject): string | undefined => {
  const [only, ...others] = figuresIn(point, isNotAllocation)
  return others.length === 0 ? only : undefined
}

/**
 * Reads a map from protocols to numbers or objects. If there are numbers, only objects with a value are allocations.
 */
const wide = (map: JsonObject, isIgnored: (name: string) => boolean): ReadonlyArray<JsonObject> => {
  const figures = new Set(figuresIn(map, isIgnored))
  const others: Array<[name: string, value: unknown]> = []
  const allocations: Array<JsonObject> = []
  for (const [protocol, value] of Object.entries(map)) {
    if (figures.has(protocol)) allocations.push({ protocol, value: figure(value) })
    else if (isJsonObject(value) && (figures.size === 0 || isAllocation(value))) {
      allocations.push(long({ ...value, protocol }, "protocol"))
    } else others.push([protocol, value])
  }
  return allocations.map((allocation) => ({ ...Object.fromEntries(others), ...allocation }))
}

/** Reads a nested map, in which every name is a protocol, except a total that the others add up to. */
const inMap = (map: JsonObject): ReadonlyArray<JsonObject> =>
  wide(map, (name) => {
    if (!total.test(name)) return false
    const sum = wide(without(map, name), () => false)
      .map(({ value }) => asNumber(value) ?? 0)
      .reduce((one, other) => one + other, 0)
    return Math.abs((numberOf(map[name]) ?? 0) - sum) <= 1e-6 * Math.abs(sum)
  })
