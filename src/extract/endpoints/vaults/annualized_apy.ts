// Annualized APY, which the service supports for few vaults.
import * as Result from "effect/Result"
import { isJsonObject } from "../../../domain/json.ts"
import type { Violation } from "../../../domain/violation.ts"
import { endpoint } from "../../Endpoint.ts"
import { address, inPath } from "../../Parameter.ts"
import { AnyRecord } from "../records.ts"

/** §9.2: a deprecated name is a prefix for the vault's token followed by one of these endings. */
const figure = /^liquidAPY(30|7)Day$|(30|7)dLiquidAPY$/

/** Requires at least one figure, under its name or a deprecated name. */
const locate = (body: unknown): Result.Result<unknown, Violation> => {
  if (!isJsonObject(body)) return Result.fail({ path: "$", detail: "is not an object" })
  return Object.keys(body).some((name) => figure.test(name))
    ? Result.succeed(body)
    : Result.fail({
        path: "$",
        detail: `contains neither liquidAPY30Day nor liquidAPY7Day, nor their deprecated names; its fields are ${Object.keys(body).join(", ")}`,
      })
}

export const annualizedApy = endpoint({
  name: "annualized_apy",
  title: "Annualized APY",
  section: "§4.2, §2.10, §9.2",
  method: "GET",
  path: "/tokenized_vault/annualized_apy/{vault_address}",
  auth: "public",
  parameters: { vault_address: inPath(address()) },
  // §7: 400 for an unsupported vault. 424 and 500 are temporary failures.
  absences: { 400: "unsupported", 404: "empty", 422: "unsupported" },
  locate,
  response: AnyRecord,
})
