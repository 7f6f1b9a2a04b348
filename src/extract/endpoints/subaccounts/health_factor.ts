// The health factor of a subaccount, as last calculated.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { isJsonObject } from "../../../domain/json.ts"
import type { Violation } from "../../../domain/violation.ts"
import { endpoint } from "../../Endpoint.ts"
import { address, certainly } from "../../Parameter.ts"

/** Names of older deployments beside those of §2.3. */
const olderNames: Readonly<Record<string, ReadonlyArray<string>>> = {
  healthFactor: ["health_factor"],
  totalCollateral: ["total_collateral_value", "total_collateral"],
  totalLoan: ["total_loan_value", "total_loan"],
  dateTime: ["datetime", "date_time"],
}

/** The record under its documented names; every other field stays. */
const locateHealthFactor = (body: unknown): Result.Result<unknown, Violation> => {
  if (!isJsonObject(body)) return Result.succeed(body)
  const record: Record<string, unknown> = { ...body }
  for (const [name, older] of Object.entries(olderNames)) {
    const found = older.find((each) => body[each] !== undefined)
    if (body[name] !== undefined || found === undefined) continue
    record[name] = body[found]
    delete record[found]
  }
  return Result.succeed(record)
}

export const healthFactor = endpoint({
  name: "health_factor",
  title: "Health factor",
  section: "§4.3, §2.3",
  method: "GET",
  path: "/subaccounts/health_factor",
  auth: "key",
  parameters: { address: certainly("address", address("evm")) },
  locate: locateHealthFactor,
  response: Schema.Struct({
    healthFactor: Schema.Finite,
    totalCollateral: Schema.Finite,
    totalLoan: Schema.Finite,
    dateTime: Schema.String,
    id: Schema.String,
  }),
})
