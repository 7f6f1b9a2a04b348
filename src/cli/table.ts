// Tables for a terminal, without borders.
import Table from "cli-table3"

export type Align = "left" | "right"

export const textTable = (
  head: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
  align: ReadonlyArray<Align> = [],
): string => {
  const none = [
    "top",
    "top-mid",
    "top-left",
    "top-right",
    "bottom",
    "bottom-mid",
    "bottom-left",
    "bottom-right",
    "left",
    "left-mid",
    "mid",
    "mid-mid",
    "right",
    "right-mid",
  ]
  const table = new Table({
    head: [...head],
    colAligns: [...align],
    chars: { ...Object.fromEntries(none.map((name) => [name, ""])), middle: "  " },
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0, compact: true },
  })
  table.push(...rows.map((row) => [...row]))
  return table.toString()
}
