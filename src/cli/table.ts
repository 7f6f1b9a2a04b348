// Tables for a terminal, without borders.
import Table from "cli-table3"
import { terminalWidth, wrapped } from "./terminal.ts"

export type Align = "left" | "right"

// A column that is wrapped narrower than this is hard to read.
const MIN_LAST = 24
const MIN_OTHER = 8

const GAP = 2

const NO_BORDERS = Object.fromEntries(
  [
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
  ].map((name) => [name, ""]),
)

/** Columns are wrapped where the terminal is too narrow: the last one first. Figures never are. */
export const textTable = (
  head: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
  align: ReadonlyArray<Align> = [],
  width: number = terminalWidth(),
): string => {
  const widths = narrowed(naturalWidths(head, rows), align, width)
  const table = new Table({
    head: head.map((name, at) => wrapped(name, widths[at] ?? Infinity).join("\n")),
    colAligns: [...align],
    chars: { ...NO_BORDERS, middle: " ".repeat(GAP) },
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0, compact: true },
  })
  table.push(
    ...rows.map((row) => row.map((cell, at) => wrapped(cell, widths[at] ?? Infinity).join("\n"))),
  )
  return table.toString()
}

/** How wide the table is where nothing is wrapped. */
export const tableWidth = (
  head: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
): number => totalOf(naturalWidths(head, rows))

const naturalWidths = (
  head: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
): ReadonlyArray<number> =>
  head.map((name, at) =>
    rows.reduce((max, row) => Math.max(max, longest(row[at] ?? "")), name.length),
  )

const longest = (cell: string): number =>
  cell.includes("\n") ? Math.max(...cell.split("\n").map((line) => line.length)) : cell.length

const totalOf = (widths: ReadonlyArray<number>): number =>
  widths.reduce((sum, each) => sum + each, GAP * Math.max(0, widths.length - 1))

const narrowed = (
  natural: ReadonlyArray<number>,
  align: ReadonlyArray<Align>,
  width: number,
): ReadonlyArray<number> => {
  const widths = [...natural]
  const last = widths.length - 1
  const isText = (at: number): boolean => align[at] !== "right"
  const narrow = (at: number, to: number): void => {
    widths[at] = Math.min(widths[at] ?? 0, to)
  }
  if (isText(last)) {
    const left = width - (totalOf(widths) - (widths[last] ?? 0))
    narrow(last, Math.max(MIN_LAST, left))
  }
  // What is still too much is taken from the widest, a character at a time.
  for (let over = totalOf(widths) - width; over > 0 && over < Infinity; over--) {
    const widest = widths.reduce(
      (most, each, at) => (isText(at) && each > (widths[most] ?? 0) ? at : most),
      widths.findIndex((_, at) => isText(at)),
    )
    if (widest < 0 || (widths[widest] ?? 0) <= MIN_OTHER) break
    narrow(widest, (widths[widest] ?? 0) - 1)
  }
  return widths
}
