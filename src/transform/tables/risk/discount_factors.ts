// core.discount_factors: the part of a token's value that counts as collateral, by size.
import type * as Result from "effect/Result"
import { documented, field, integer } from "../../../domain/table/column.ts"
import type { JsonObject } from "../../../domain/values/json.ts"
import type { Table } from "../../../domain/table/table.ts"
import type { Violation } from "../../../domain/wire/violation.ts"
import type { RejectedRecord } from "../../../domain/wire/violation.ts"
import { address, chain } from "../../fields/readers.ts"
import { reportTimesOf, withoutReportTimes } from "../../fields/reportTimes.ts"
import { namesOf } from "../../fields/wireNames.ts"
import { mapRecords } from "../../mapRecords.ts"
import { recordsIn } from "../../shapes/recordsIn.ts"
import { rejectedIn, undeclared } from "../../shapes/undeclared.ts"
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
  // §2.6 shows neither the fields of rungs nor where they are.
  shapes: [
    {
      name: "a list of rungs, each with a discount factor",
      holds: "list",
      in: ["rungs", "ladder", "discount_factors"],
      requires: [["discount_factor"]],
    },
    // Only in a place that the setting names: no name says whether the sizes are upper or lower bounds.
    {
      name: "a map of discount factors by upper bound where the setting fields says so",
      holds: "figures",
      in: [],
      key: "upper_bound",
      value: "discount_factor",
    },
    {
      name: "a ladder that is one rung",
      holds: "record",
      requires: [["discount_factor"]],
    },
  ],
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
      plausible: { from: 0, to: 100 },
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
  const token = namesIn(source, "chain_id", "token_address", "token_address_wire", "symbol")
  const find = recordsIn(discountFactors, source, [...token])
  const reportTimes = reportTimesOf(discountFactors, source)
  const rejected: Array<RejectedRecord> = []
  const rungs = ladders.flatMap((ladder, place) => {
    const at = `$[${place}]`
    const found = find(ladder)
    if (found === undefined) {
      const violation = undeclared(discountFactors, ladder, at, source, [...token])
      rejected.push({ ...violation, record: ladder })
      return []
    }
    for (const each of rejectedIn(discountFactors, found, at, source)) rejected.push(each)
    const shared = found.shape.holds === "record" ? {} : sharedOf(found.rest, token, reportTimes)
    return found.records.map((rung, index) => ({
      place,
      ordinal: index + 1,
      record: { ...rung, ...shared },
    }))
  })
  const mapped = mapRecords({
    table: discountFactors,
    records: rungs.map(({ record }) => record),
    source,
    computed: { rung: rungs.map(({ ordinal }) => ordinal) },
    ...(rejected.length === 0 ? { mergeKey: {} } : {}),
    at: (row) => `$[${rungs[row]?.place}]`,
  })
  return combined({ ...mapped, rejected: [...rejected, ...mapped.rejected] })
}

const namesIn = (source: Source<null>, ...columns: ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(columns.flatMap((column) => namesOf(discountFactors, column, source)))

/** The fields of a ladder that each of its rungs shares: the token, report times, and the others as `ladder`. */
const sharedOf = (
  rest: JsonObject,
  token: ReadonlySet<string>,
  reportTimes: ReadonlySet<string>,
): JsonObject => {
  const isOwn = (name: string): boolean => token.has(name) || reportTimes.has(name)
  const entries = Object.entries(rest)
  const own = Object.fromEntries(entries.filter(([name]) => isOwn(name)))
  const others = Object.fromEntries(entries.filter(([name]) => !isOwn(name)))
  const ladder = withoutReportTimes(others, reportTimes)
  return Object.keys(ladder).length === 0 ? own : { ...own, ladder }
}
