// The columns and shapes of allocations, in the history and in a vault's summary. §2.9 and §2.10 show none of their
// fields but the day of a point.
import { type Column, field } from "../../domain/table/column.ts"
import type { Shape } from "../../domain/table/shape.ts"

export const allocationColumns = (comment: string): ReadonlyArray<Column> => [
  field.double("value", comment, {
    plausible: { from: 0 },
    names: ["value_usd", "usd_value", "amount_usd", "allocation_usd", "value"],
    unit: "as sent; USD where the service specifies it",
  }),
  field.double("share", "Share of the vault's assets, if the service sends it", {
    plausible: { from: 0, to: 100 },
    names: ["share", "share_pct", "weight", "weight_pct", "allocation_pct"],
    unit: "as sent",
  }),
]

const totals = ["total", "total_usd", "totalUsd", "total_value", "totalValue"]

/** Lists and maps of allocations in fields of these names; the keys of a map fill the column `key`. */
export const allocationShapes = (
  key: string,
  names: ReadonlyArray<string>,
): ReadonlyArray<Shape> => {
  const requires = [[key], ["value", "share"]]
  return [
    { name: "a list of such records", holds: "list", in: names, requires },
    { name: `a map of such records by ${key}`, holds: "map", in: names, key, requires, totals },
    {
      name: `a map of values by ${key}`,
      holds: "figures",
      in: names,
      key,
      value: "value",
      totals,
    },
  ]
}
