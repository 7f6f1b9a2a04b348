// core.discount_factors: the part of a token's value that counts as collateral, by size.
import type * as Result from "effect/Result"
import { documented, field, integer } from "../../../domain/column.ts"
import type { JsonObject } from "../../../domain/json.ts"
import type { Table } from "../../../domain/table.ts"
import type { Violation } from "../../../domain/violation.ts"
import { separateRungs } from "../../fields/ladderRungs.ts"
import { address, chain } from "../../fields/readers.ts"
import { isReportTime, withoutReportTimes } from "../../fields/reportTimes.ts"
import { mapRecords } from "../../mapRecords.ts"
import { combined, type MappedResponse, type Source } from "../../Source.ts"
import { symbol } from "../positionColumns.ts"
import { restOfRecord, wireSpelling } from "../shared.ts"

export const discountFactors: Table = {
  schema: "core",
  name: "discount_factors",
  mode: "slowly_changing",
  grain: "token, rung of its ladder and version of the rung",
  comment:
    "Discount-factor ladders of the whitelisted tokens, one row for each rung. A ladder without separate rungs is one row, its record in `ladder`.",
  source: "GET /risk/discount_factors (§4.4, §2.6)",
  key: ["chain_id", "token_address", "rung"],
  columns: [
    documented.integer("chain_id", "The platform's chain id of the token", {
      names: ["chain"],
      read: chain,
      required: true,
    }),
    documented.text("token_address", "Token; EVM in lower case, others unchanged", {
      names: ["address"],
      read: address,
      required: true,
    }),
    wireSpelling("token_address", ["address"], { required: true }),
    integer("rung", "Place of the rung, from 1", { required: true }),
    symbol,
    field.double("discount_factor", "Part of the value that counts as collateral", {
      names: ["discount_factor", "factor"],
      unit: "as sent; a fraction if between 0 and 1",
    }),
    field.double(
      "upper_bound",
      "Size up to which the factor applies; null if the service names none",
      {
        names: ["up_to_usd", "upper_bound"],
        unit: "as sent; the field's name says USD or tokens",
      },
    ),
    field.json("ladder", "The other fields of the ladder's record, as sent"),
    ...restOfRecord,
  ],
  example:
    "select symbol, rung, upper_bound, discount_factor from core.discount_factors where is_current order by 1, 2",
}

/** One row for each rung. The response is the whole set of all ladders. */
export const discountFactorRows = (
  ladders: ReadonlyArray<JsonObject>,
  source: Source<null>,
): Result.Result<MappedResponse, Violation> => {
  const rungs = ladders.flatMap((ladder, place) => {
    const { rungs: found, rest } = separateRungs(ladder)
    const { address: token, chain: chainId, symbol: name, ...others } = rest
    const description = withoutReportTimes(others)
    const shared = {
      ...(token === undefined ? {} : { address: token }),
      ...(chainId === undefined ? {} : { chain: chainId }),
      ...(name === undefined ? {} : { symbol: name }),
      ...Object.fromEntries(Object.entries(others).filter(([key]) => isReportTime(key))),
      ...(Object.keys(description).length === 0 ? {} : { ladder: description }),
    }
    return found.map((rung, index) => ({
      place,
      ordinal: index + 1,
      record: { ...rung, ...shared },
    }))
  })
  return combined(
    mapRecords({
      table: discountFactors,
      records: rungs.map(({ record }) => record),
      source,
      computed: { rung: rungs.map(({ ordinal }) => ordinal) },
      mergeKey: {},
      at: (row) => `$[${rungs[row]?.place}]`,
    }),
  )
}
