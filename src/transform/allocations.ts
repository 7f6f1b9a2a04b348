// The layouts of an allocation point (§2.9 shows only its date): long, nested or wide, all read as a list
// of { protocol, value, share, …rest }.
import { asNumber, isJsonObject, type JsonObject } from "../domain/json.ts"

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

const present = (point: JsonObject, names: ReadonlyArray<string>): string | undefined =>
  names.find((name) => asNumber(point[name]) !== undefined)

const without = (point: JsonObject, ...names: ReadonlyArray<string | undefined>): JsonObject =>
  Object.fromEntries(Object.entries(point).filter(([name]) => !names.includes(name)))

/** Allocations by protocol in one point; `dayField` is the point's date and no allocation. */
export const allocationsOf = (point: JsonObject, dayField: string): ReadonlyArray<JsonObject> => {
  const rest = without(point, dayField)
  const named = protocolFields.find((name) => typeof rest[name] === "string")
  if (named !== undefined) return [long(rest, named)]
  const nested = Object.entries(rest).filter(
    ([, value]) => isJsonObject(value) || (Array.isArray(value) && value.every(isJsonObject)),
  )
  const [only, ...others] = nested
  if (only !== undefined && others.length === 0) {
    const [field, value] = only
    const shared = without(rest, field)
    // The day's own figures (a total, say) stand beside each allocation; they are no allocation's value.
    const allocations = Array.isArray(value)
      ? value.flatMap((item: JsonObject) => allocationsOf(item, dayField))
      : wide(value as JsonObject)
    return allocations.map((allocation) => ({ ...shared, ...allocation }))
  }
  return wide(rest)
}

const long = (point: JsonObject, protocolField: string): JsonObject => {
  const shareField = present(point, shareFields)
  const valueField = present(point, valueFields) ?? onlyNumber(without(point, shareField))
  return {
    ...without(point, protocolField, valueField, shareField),
    protocol: point[protocolField],
    ...(valueField === undefined ? {} : { value: point[valueField] }),
    ...(shareField === undefined ? {} : { share: point[shareField] }),
  }
}

// Identifiers and the day's total are numbers too, and no protocol's value.
const isAside = (name: string): boolean => /(^|_)id$|Id$|^chain|^total(_|[A-Z]|$)/.test(name)

/** The one numeric field, when there is just one: then it can only be the value. */
const onlyNumber = (point: JsonObject): string | undefined => {
  const [only, ...others] = Object.keys(point).filter(
    (name) => !isAside(name) && asNumber(point[name]) !== undefined,
  )
  return others.length === 0 ? only : undefined
}

/** A map of protocols to numbers, or to objects that hold one. */
const wide = (map: JsonObject): ReadonlyArray<JsonObject> => {
  const beside: Record<string, unknown> = {}
  const allocations: Array<JsonObject> = []
  for (const [protocol, value] of Object.entries(map)) {
    if (asNumber(value) !== undefined && !isAside(protocol)) allocations.push({ protocol, value })
    else if (isJsonObject(value)) allocations.push(long({ ...value, protocol }, "protocol"))
    else beside[protocol] = value
  }
  return allocations.map((allocation) => ({ ...beside, ...allocation }))
}
