// core.collateral_excess: the excess or deficit of collateral of each subaccount with debt, in each whitelisted token.
import type * as Result from "effect/Result"
import { documented, field, integer, text } from "../../../domain/table/column.ts"
import type { JsonObject } from "../../../domain/values/json.ts"
import type { Table } from "../../../domain/table/table.ts"
import type { Violation } from "../../../domain/wire/violation.ts"
import { numberOf } from "../../fields/numbers.ts"
import { digits } from "../../fields/readers.ts"
import { readColumn } from "../../fields/wireNames.ts"
import { mapRecords } from "../../mapRecords.ts"
import { combined, type MappedResponse, type Source } from "../../Source.ts"
import { restOfRecord, subaccountAddress } from "../shared.ts"

/** The server's default for collateral solving (§2.3, §4.4). */
const DEFAULT_TARGET = 1.2

export const collateralExcess: Table = {
  schema: "core",
  name: "collateral_excess",
  mode: "slowly_changing",
  grain: "subaccount, token, target health factor and version",
  comment:
    "Collateral excess (positive) or deficit (negative) of subaccounts with debt, in each token with a discount-factor ladder. A subaccount that has paid its debt is no longer read: its last figures stay here, and mart.collateral_excess leaves them out.",
  source: "GET /risk/collateral_excess_or_deficit (§4.4, §2.6)",
  key: ["subaccount_address", "chain_id", "token_address", "target_health_factor"],
  columns: [
    subaccountAddress,
    integer("chain_id", "The platform's chain id of the token", { required: true }),
    text("token_address", "Token; EVM in lower case, others unchanged", { required: true }),
    field.double("target_health_factor", "Health factor to keep; 1.2 is the service's default", {
      unit: "ratio",
      required: true,
    }),
    documented.double("amount_usd", "Excess, or deficit if negative; 0 without debt", {
      unit: "USD",
    }),
    field.double("token_amount", "The amount in units of the token", { unit: "tokens" }),
    field.text("token_amount_digits", "The amount in units of the token, every digit", {
      names: ["token_amount"],
      unit: "tokens",
      read: digits,
    }),
    ...restOfRecord,
  ],
  example:
    "select subaccount_address, token_address, amount_usd, valid_from from core.collateral_excess where is_current and amount_usd < 0 order by amount_usd",
}

/** One subaccount and one token. */
export interface ExposureRef {
  readonly subaccount: { readonly address: string; readonly wireAddress: string }
  readonly chainId: number
  readonly token: { readonly address: string; readonly wireAddress: string }
}

export const collateralExcessRows = (
  record: JsonObject,
  source: Source<ExposureRef>,
): Result.Result<MappedResponse, Violation> => {
  const { subject, inputs } = source
  const target =
    inputs["targetHealthFactor"] ??
    readColumn(record, collateralExcess, "target_health_factor", source)
  return combined(
    mapRecords({
      table: collateralExcess,
      records: [record],
      source,
      computed: {
        subaccount_address: subject.subaccount.address,
        chain_id: subject.chainId,
        token_address: subject.token.address,
        target_health_factor: numberOf(target) ?? DEFAULT_TARGET,
      },
      at: () => "$",
    }),
  )
}
