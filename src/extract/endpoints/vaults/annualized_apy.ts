// Annualized APY of the few vaults the service supports it for.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { isJsonObject, type JsonObject } from "../../../domain/json.ts"
import type { Violation } from "../../../domain/violation.ts"
import { endpoint } from "../../Endpoint.ts"
import { address, inPath } from "../../Parameter.ts"

/** §9.2: the deprecated names are a vault token's prefix and these endings. */
const figure = /^liquidAPY(30|7)Day$|(30|7)dLiquidAPY$/

/** Neither figure is required by its name, as a deprecated one may stand in its place; one of them is. */
const locate = (body: unknown): Result.Result<unknown, Violation> => {
  if (!isJsonObject(body)) return Result.fail({ path: "$", detail: "is not an object" })
  return Object.keys(body).some((name) => figure.test(name))
    ? Result.succeed(body)
    : Result.fail({
        path: "$",
        detail: `holds neither liquidAPY30Day nor liquidAPY7Day, nor their deprecated names; its fields are ${Object.keys(body).join(", ")}`,
      })
}

const Figure = Schema.optionalKey(Schema.NullOr(Schema.Finite))

const Response: Schema.Codec<JsonObject, unknown> = Schema.Struct({
  liquidAPY30Day: Figure,
  liquidAPY7Day: Figure,
})

export const annualizedApy = endpoint({
  name: "annualized_apy",
  title: "Annualized APY",
  section: "§4.2, §2.10, §9.2",
  method: "GET",
  path: "/tokenized_vault/annualized_apy/{vault_address}",
  auth: "public",
  parameters: { vault_address: inPath(address()) },
  // §7: 400 for an unsupported vault. 424 and 500 are failures of the moment.
  absences: { 400: "unsupported", 404: "empty", 422: "unsupported" },
  locate,
  response: Response,
})
