// Daily APY of a vault, optionally smoothed by the service.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { isJsonObject, type JsonObject } from "../../../domain/values/json.ts"
import type { Violation } from "../../../domain/wire/violation.ts"
import { endpoint } from "../../Endpoint.ts"
import { address, boolean, integer, number, optional } from "../../Parameter.ts"

/** Some deployments wrap the arrays in `data`; the other fields of the response stay. */
const locate = (body: unknown): Result.Result<unknown, Violation> => {
  if (!isJsonObject(body)) return Result.fail({ path: "$", detail: "is not an object" })
  if (!isJsonObject(body["data"]) || "labels" in body) return Result.succeed(body)
  const { data, ...outer } = body
  return Result.succeed({ ...outer, ...data })
}

interface ApyChart extends JsonObject {
  readonly labels: ReadonlyArray<unknown>
}

const Response: Schema.Codec<ApyChart, unknown> = Schema.Struct({
  labels: Schema.Array(Schema.Unknown),
})

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
  // The document withholds the name of the values (§2.9), which is thus a column's.
  response: Response,
})
