// core.discount_factors: how much of a token's value counts as collateral, by size, rung by rung.
import * as Result from "effect/Result"
import type { JsonObject } from "../../../domain/json.ts"
import type { Table } from "../../../domain/table.ts"
import type { Violation } from "../../../domain/violation.ts"
import { withoutRungs } from "../../fields/ladderRungs.ts"
import { isReportTime, withoutReportTimes } from "../../fields/reportTimes.ts"
import { type MappedAnswer, type Source, together } from "../../Source.ts"
import { canonicalSpelling, double, mapTaken } from "../../fields/takenFields.ts"
import { extra, reportedAt, reportedTimes } from "../shared.ts"

export const discountFactors: Table = {
  schema: "core",
  name: "discount_factors",
  mode: "slowly_changing",
  grain: "token, rung of its ladder and version of the rung",
  comment:
    "Discount-factor ladders of the whitelisted tokens, one row a rung. A ladder whose rungs can't be told apart is one row, its record in `ladder`.",
  source: "GET /risk/discount_factors (§4.4, §2.6)",
  key: ["chain_id", "token_address", "rung"],
  columns: [
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
      name: "token_address_as_served",
      type: "text",
      required: true,
      comment: "The address as the service spells it",
    },
    { name: "rung", type: "integer", required: true, comment: "Place of the rung, from 1" },
    { name: "symbol", type: "text", comment: "Symbol of the token" },
    {
      name: "discount_factor",
      type: "double",
      unit: "as served; a fraction where it lies between 0 and 1",
      comment: "Part of the value that counts as collateral",
    },
    {
      name: "upper_bound",
      type: "double",
      unit: "as served; the name of the field says USD or tokens",
      comment: "Size up to which the factor holds; null where the service names none",
    },
    {
      name: "ladder",
      type: "json",
      fields: ["ladder"],
      comment: "The ladder's record beside its rungs, as served",
    },
    reportedAt,
    reportedTimes,
    extra,
  ],
  example:
    "select symbol, rung, upper_bound, discount_factor from core.discount_factors where is_current order by 1, 2",
}

const factor = double("discount_factor", "factor", "df")
const bound = double(
  "up_to_usd",
  "up_to",
  "upper_bound",
  "limit_usd",
  "limit",
  "max_usd",
  "max_amount",
  "max",
  "threshold_usd",
  "threshold",
  "to",
)

/** One row a rung; all ladders there are, so that rungs that are missing have ended. */
export const discountFactorRows = (
  ladders: ReadonlyArray<JsonObject>,
  { origin }: Source<null>,
): Result.Result<MappedAnswer, Violation> => {
  const rungs = ladders.flatMap((ladder) => {
    const { rungs: found, rest } = withoutRungs(ladder)
    const { address, chain, symbol, ...others } = rest
    const token = {
      chain_id: chain as number,
      token_address: canonicalSpelling(address as string),
      token_address_as_served: address as string,
      symbol: typeof symbol === "string" ? symbol : null,
    }
    const settled = withoutReportTimes(others)
    const about = {
      ...Object.fromEntries(Object.entries(others).filter(([name]) => isReportTime(name))),
      ...(Object.keys(settled).length === 0 ? {} : { ladder: settled }),
    }
    return found.map((rung, index) => ({
      token,
      ordinal: index + 1,
      record: { ...rung, ...about },
    }))
  })
  const { rows, drift } = mapTaken({
    table: discountFactors,
    records: rungs.map(({ record }) => record),
    origin,
    readings: { discount_factor: factor, upper_bound: bound },
    computed: {
      chain_id: rungs.map(({ token }) => token.chain_id),
      token_address: rungs.map(({ token }) => token.token_address),
      token_address_as_served: rungs.map(({ token }) => token.token_address_as_served),
      symbol: rungs.map(({ token }) => token.symbol),
      rung: rungs.map(({ ordinal }) => ordinal),
    },
  })
  return Result.succeed(together({ rows: { ...rows, scope: {} }, drift }))
}
