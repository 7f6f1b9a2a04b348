// Daily APY of a vault, optionally smoothed by the service.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { isJsonObject, type JsonObject } from "../../../domain/json.ts"
import type { Violation } from "../../../domain/violation.ts"
import { endpoint } from "../../Endpoint.ts"
import { address, boolean, integer, number, optional } from "../../Parameter.ts"

/**
 * The document withholds the name of the array of values (§2.9), so it is `values` or else the only other array as long
 * as `labels`. Some deployments wrap both arrays in `data`.
 */
const locate = (body: unknown): Result.Result<unknown, Violation> => {
  if (!isJsonObject(body)) return Result.fail({ path: "$", detail: "is not an object" })
  const holder = isJsonObject(body["data"]) && !("labels" in body) ? body["data"] : body
  const { labels } = holder
  if (!Array.isArray(labels)) return Result.fail({ path: "$.labels", detail: "is not an array" })
  const found = valuesIn(holder, labels.length)
  if (Result.isFailure(found)) return Result.fail(found.failure)
  const { [found.success ?? ""]: values = [], ...others } = holder
  const { data: _data, ...outer } = body
  if (Array.isArray(values) && values.length === labels.length) {
    return Result.succeed({ ...(holder === body ? {} : outer), ...others, labels, values })
  }
  const count = Array.isArray(values) ? values.length : 0
  return Result.fail({
    path: "$.values",
    detail: `has ${count} values for ${labels.length} labels`,
  })
}

/** The name of the field with the values; `undefined` if there are no labels either. */
const valuesIn = (
  holder: JsonObject,
  length: number,
): Result.Result<string | undefined, Violation> => {
  if (Array.isArray(holder["values"])) return Result.succeed("values")
  const candidates = Object.entries(holder).filter(
    (entry): entry is [string, Array<unknown>] =>
      entry[0] !== "labels" && Array.isArray(entry[1]) && entry[1].length === length,
  )
  // If all arrays are empty, it does not matter which one is meant for the values.
  const arrays = Object.values(holder).filter(Array.isArray)
  if (length === 0 && !arrays.some((array) => array.some(Number.isFinite))) {
    return Result.succeed(undefined)
  }
  const [only, ...others] = candidates
  if (only !== undefined && others.length === 0) return Result.succeed(only[0])
  const names = candidates.map(([name]) => name).join(", ") || "none"
  return Result.fail({
    path: "$",
    detail: `must contain exactly one other array as long as labels; candidates: ${names}`,
  })
}

export const historicalApyChart = endpoint({
  name: "historical_apy_chart",
  title: "APY history",
  section: "§4.1, §2.9",
  method: "GET",
  path: "/platform/historical_apy/chart",
  auth: "public",
  parameters: {
    vault: address(),
    applySmoothing: optional(boolean),
    averagingPeriodDays: optional(number({ min: 2 })),
    // -1 means the full history.
    daysAgo: optional(integer({ min: -1 })),
  },
  // §7: the dashboard does not know the vault.
  absences: { 404: "empty" },
  locate,
  response: Schema.Struct({
    labels: Schema.Array(Schema.Unknown),
    values: Schema.Array(Schema.Unknown),
  }),
})
