// core.collateral_excess: what each subaccount with debt has to spare, or lacks, in each whitelisted token.
import * as Result from "effect/Result"
import type { JsonObject } from "../../../domain/json.ts"
import type { Table } from "../../../domain/table.ts"
import type { Violation } from "../../../domain/violation.ts"
import { type MappedAnswer, type Source, together } from "../../Source.ts"
import {
  digits,
  double,
  mapTaken,
  numberOf,
  spellings,
  takeFields,
} from "../../fields/takenFields.ts"
import { extra, reportedAt, reportedTimes, subaccountAddress } from "../shared.ts"

/** The server's default for collateral solving (§2.3, §4.4). */
const DEFAULT_TARGET = 1.2

export const collateralExcess: Table = {
  schema: "core",
  name: "collateral_excess",
  mode: "slowly_changing",
  grain: "subaccount, token, target health factor and version",
  comment:
    "Collateral excess (positive) or deficit (negative) of subaccounts with debt, in each token with a discount-factor ladder. What owes nothing any more is not asked about: its last figures stay here, and mart.collateral_excess leaves them out.",
  source: "GET /risk/collateral_excess_or_deficit (§4.4, §2.6)",
  key: ["subaccount_address", "chain_id", "token_address", "target_health_factor"],
  columns: [
    subaccountAddress,
    {
      name: "chain_id",
      type: "integer",
      required: true,
      comment: "The platform's chain id of the token",
    },
    {
      name: "token_address",
      type: "text",
      required: true,
      comment: "Token; EVM in lower case, others as served",
    },
    {
      name: "target_health_factor",
      type: "double",
      unit: "ratio",
      required: true,
      comment: "Health factor that is to be kept; 1.2 is the service's default",
    },
    {
      name: "amount_usd",
      type: "double",
      unit: "USD",
      required: true,
      fields: ["amount_usd"],
      comment: "Excess, or deficit below 0; 0 without debt",
    },
    {
      name: "token_amount",
      type: "double",
      unit: "tokens",
      comment: "The same in units of the token",
    },
    {
      name: "token_amount_digits",
      type: "text",
      unit: "tokens",
      comment: "The same in units of the token, every digit as served",
    },
    reportedAt,
    reportedTimes,
    extra,
  ],
  example:
    "select subaccount_address, token_address, amount_usd, valid_from from core.collateral_excess where is_current and amount_usd < 0 order by amount_usd",
}

/** What is asked about: one subaccount, one token. */
export interface ExposureRef {
  readonly subaccount: { readonly address: string; readonly served: string }
  readonly chainId: number
  readonly token: { readonly address: string; readonly served: string }
}

const tokenAmounts = [
  "token_amount",
  "amount_token",
  "amount_in_token",
  "amount_tokens",
  "token_units",
  "amount_token_units",
  "units",
  "amount",
] as const
const target = double("target_health_factor")

export const collateralExcessRows = (
  record: JsonObject,
  { origin, subject, inputs }: Source<ExposureRef>,
): Result.Result<MappedAnswer, Violation> => {
  const served = takeFields([record], { target }).columns["target"]?.[0]
  const asked = numberOf(inputs["targetHealthFactor"])
  return Result.succeed(
    together(
      mapTaken({
        table: collateralExcess,
        records: [record],
        origin,
        readings: {
          token_amount: double(...tokenAmounts),
          token_amount_digits: digits(...tokenAmounts),
        },
        computed: {
          subaccount_address: subject.subaccount.address,
          chain_id: subject.chainId,
          token_address: subject.token.address,
          target_health_factor: asked ?? served ?? DEFAULT_TARGET,
        },
        consumed: spellings("target_health_factor"),
      }),
    ),
  )
}
