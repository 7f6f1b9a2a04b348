// Tables for a terminal, without borders.
import Table from "cli-table3"
import { paint, paintOutcomes } from "./color.ts"
import { shown } from "./output.ts"
import { firstLines, terminalWidth, wrapped } from "./terminal.ts"

export type Align = "left" | "right"

/** Colours a line of a cell, after wrapping. */
export type PaintCell = (line: string, column: number, row: number) => string

export interface TableOptions {
  /** Absent: all columns are aligned left. */
  readonly align?: ReadonlyArray<Align>
  readonly width?: number
  /** Headings of columns with outcomes, which are coloured. */
  readonly outcomes?: ReadonlyArray<string>
  /** Used instead of `outcomes`. */
  readonly paintCell?: PaintCell
}

// A column that is wrapped narrower than this is hard to read.
const MIN_WIDTH = 8

const GAP = 2

// More than anybody reads in a table, whose making takes time with the square of a cell's lines.
const MAX_LINES = 100

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

/** If the terminal is too narrow, columns are wrapped: headings before text, between words if that is enough, the
 * widest first. Numbers are never wrapped. Of a cell, 100 lines are shown. */
export const textTable = (
  head: ReadonlyArray<string>,
  texts: ReadonlyArray<ReadonlyArray<string>>,
  { align = [], width = terminalWidth(), outcomes = [], ...options }: TableOptions = {},
): string => {
  const paintOutcome: PaintCell = (line, column) =>
    outcomes.includes(head[column] ?? "") ? paintOutcomes(line) : line
  const { paintCell = paintOutcome } = options
  const rows = texts.map((row) => row.map(shown))
  const widths = narrowed(head, rows, align, width)
  const table = new Table({
    head: head.map((name, at) => {
      const lines = wrapped(name, widths[at] ?? Infinity)
      return lines.map((line) => paint(line, "heading")).join("\n")
    }),
    colAligns: [...align],
    chars: { ...NO_BORDERS, middle: " ".repeat(GAP) },
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0, compact: true },
  })
  for (const [rowAt, row] of rows.entries()) {
    table.push(
      row.map((cell, at) => {
        const room = widths[at] ?? Infinity
        const lines = firstLines(wrapped(cell, room), MAX_LINES, room)
        return lines.map((line) => paintCell(line, at, rowAt)).join("\n")
      }),
    )
  }
  return table.toString().replaceAll(/ +$/gm, "")
}

/** The width of the table if nothing is wrapped. */
export const tableWidth = (
  head: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
): number => totalOf(naturalWidths(head, rows))

/** The indexes of the columns to show: dispensable ones are dropped in order until no cell has to be wrapped. */
export const columnsThatFit = (
  head: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
  dispensable: ReadonlyArray<string>,
  width: number = terminalWidth(),
): ReadonlyArray<number> => {
  const least = headingsWrapped(head, rows)
  let columns = head.map((_, at) => at)
  for (const name of dispensable) {
    if (totalOf(columns.map((at) => least[at] ?? 0)) <= width) break
    columns = columns.filter((at) => head[at] !== name)
  }
  return columns
}

/** Widths for whole cells below headings that are broken between words. */
const headingsWrapped = (
  head: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
): ReadonlyArray<number> => head.map((name, at) => Math.max(longestWord(name), cellWidth(rows, at)))

const naturalWidths = (
  head: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
): ReadonlyArray<number> => head.map((name, at) => Math.max(name.length, cellWidth(rows, at)))

const cellWidth = (rows: ReadonlyArray<ReadonlyArray<string>>, at: number): number =>
  rows.reduce((max, row) => Math.max(max, longest(row[at] ?? "")), 0)

const longest = (cell: string): number =>
  cell.split("\n").reduce((max, line) => Math.max(max, line.length), 0)

const totalOf = (widths: ReadonlyArray<number>): number =>
  widths.reduce((sum, each) => sum + each, GAP * Math.max(0, widths.length - 1))

const longestWord = (text: string): number =>
  text.split(/\s/).reduce((max, word) => Math.max(max, word.length), 0)

/** Widths that fit, as far as possible. */
const narrowed = (
  head: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
  align: ReadonlyArray<Align>,
  width: number,
): ReadonlyArray<number> => {
  const widths = naturalWidths(head, rows)
  if (totalOf(widths) <= width) return widths
  const isNumeric = (at: number): boolean => align[at] === "right"
  const headings = headingsWrapped(head, rows)
  const whole = headings.map((least, at) =>
    isNumeric(at)
      ? least
      : rows.reduce(
          (max, row) => Math.max(max, longestWord(row[at] ?? "")),
          longestWord(head[at] ?? ""),
        ),
  )
  const broken = whole.map((least, at) => (isNumeric(at) ? least : Math.min(least, MIN_WIDTH)))
  return [headings, whole, broken].reduce(
    (current, least) => narrowedTo(least, current, width),
    widths,
  )
}

/** Narrows the widest column, a character at a time, until all fit or none is wider than its least width. */
const narrowedTo = (
  least: ReadonlyArray<number>,
  natural: ReadonlyArray<number>,
  width: number,
): ReadonlyArray<number> => {
  const widths = [...natural]
  for (let over = totalOf(widths) - width; over > 0; over--) {
    let widest = -1
    for (const [at, each] of widths.entries()) {
      if (each > (least[at] ?? 0) && each > (widths[widest] ?? 0)) widest = at
    }
    if (widest === -1) break
    widths[widest] = (widths[widest] ?? 0) - 1
  }
  return widths
}

/** A block for each row, a line for each column; long values continue below their beginning. */
export const recordBlocks = (
  names: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
  width: number,
): string => {
  const label = names.reduce((max, name) => Math.max(max, name.length), 0) + 2
  const room = Math.max(20, width - label)
  const line = (name: string, value: string): string =>
    `${name}:`.padEnd(label) + wrapped(shown(value), room).join(`\n${" ".repeat(label)}`)
  return rows
    .map((row) => names.map((name, at) => line(name, row[at] ?? "")).join("\n"))
    .join("\n\n")
}
