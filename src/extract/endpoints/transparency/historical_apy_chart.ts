// Daily APY of a vault, smoothed by the service or not.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { isJsonObject, type JsonObject } from "../../../domain/json.ts"
import type { Violation } from "../../../domain/violation.ts"
import { endpoint } from "../../Endpoint.ts"
import { address, boolean, integer, number, optional } from "../../Parameter.ts"

/**
 * The document withholds the name of the value array (§2.9): `values`, else the one other array as long
 * as `labels`. Some deployments wrap both in `data`.
 */
const locate = (body: unknown): Result.Result<unknown, Violation> => {
  if (!isJsonObject(body)) return Result.fail({ path: "$", detail: "is not an object" })
  const holder = isJsonObject(body["data"]) && !("labels" in body) ? body["data"] : body
  const { labels } = holder
  if (!Array.isArray(labels)) return Result.fail({ path: "$.labels", detail: "is not an array" })
  const found = valuesOf(holder, labels.length)
  if (Result.isFailure(found)) return Result.fail(found.failure)
  return found.success.length === labels.length
    ? Result.succeed({ labels, values: found.success })
    : Result.fail({
        path: "$.values",
        detail: `has ${found.success.length} values for ${labels.length} labels`,
      })
}

const valuesOf = (
  holder: JsonObject,
  length: number,
): Result.Result<ReadonlyArray<unknown>, Violation> => {
  if (Array.isArray(holder["values"])) return Result.succeed(holder["values"])
  const candidates = Object.entries(holder).filter(
    (entry): entry is [string, Array<unknown>] =>
      entry[0] !== "labels" && Array.isArray(entry[1]) && entry[1].length === length,
  )
  // Nothing beside nothing: it does not matter which of the empty arrays would hold the values.
  const arrays = Object.values(holder).filter(Array.isArray)
  if (length === 0 && !arrays.some((array) => array.some(Number.isFinite))) {
    return Result.succeed([])
  }
  const [only, ...others] = candidates
  if (only !== undefined && others.length === 0) return Result.succeed(only[1])
  const names = candidates.map(([name]) => name).join(", ") || "none"
  return Result.fail({
    path: "$",
    detail: `needs one array beside labels with as many values; candidates: ${names}`,
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
  // §7: a vault the dashboard does not know.
  absences: { 404: "empty" },
  locate,
  response: Schema.Struct({
    labels: Schema.Array(Schema.String),
    values: Schema.Array(Schema.Finite),
  }),
})
