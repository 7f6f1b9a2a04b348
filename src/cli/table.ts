// Tables for a terminal, without borders.
import Table from "cli-table3"

export type Align = "left" | "right"

// Narrower than this, a wrapped column is harder to read than one cut off by the terminal.
const MIN_WRAPPED = 24

/** The last column is wrapped where the terminal is too narrow for it. */
export const textTable = (
  head: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
  align: ReadonlyArray<Align> = [],
): string => {
  const widths = head.map((name, at) =>
    rows.reduce((max, row) => Math.max(max, (row[at] ?? "").length), name.length),
  )
  const others = widths.slice(0, -1).reduce((sum, width) => sum + width + 2, 0)
  const left = (process.stdout.isTTY ? process.stdout.columns : Infinity) - others
  const wraps = left >= MIN_WRAPPED && left < (widths.at(-1) ?? 0)
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
    ...(wraps ? { colWidths: [...widths.slice(0, -1), left], wordWrap: true } : {}),
    chars: { ...Object.fromEntries(none.map((name) => [name, ""])), middle: "  " },
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0, compact: true },
  })
  table.push(...rows.map((row) => [...row]))
  return table.toString()
}
