// Rows of the warehouse as a table: headings from the column names, null as a dash.
import { columnsThatFit, recordBlocks, type TableOptions, tableWidth, textTable } from "./table.ts"
import { terminalWidth } from "./terminal.ts"

export type Row = Readonly<Record<string, unknown>>

/** A value as text; an instant has no `T`, and no milliseconds if they are zero. */
export const cellText = (value: unknown): string => {
  if (value === null || value === undefined) return "–"
  if (typeof value === "number") return value.toLocaleString("en", { maximumSignificantDigits: 17 })
  const text = typeof value === "object" ? JSON.stringify(value) : String(value)
  return text.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.0+|(\.\d+))?Z$/, "$1 $2$3")
}

const heading = (name: string): string => name.replaceAll("_", " ").trim()

export interface RowsOptions extends Pick<TableOptions, "width" | "outcomes"> {
  readonly names?: ReadonlyArray<string>
  /** Columns that are dropped in this order if the terminal is too narrow for all. */
  readonly dispensable?: ReadonlyArray<string>
  readonly cell?: (value: unknown) => string
}

/** The rows as a table; the text `none` if there are no rows. */
export const rowsTable = (rows: ReadonlyArray<Row>, none: string, options: RowsOptions = {}) => {
  const { dispensable = [], cell = cellText, names: all = Object.keys(rows[0] ?? {}) } = options
  if (rows.length === 0) return none
  const isNumber = (name: string): boolean => rows.some((row) => typeof row[name] === "number")
  const cells = (names: ReadonlyArray<string>) =>
    rows.map((row) => names.map((name) => cell(row[name])))
  const names = columnsThatFit(all.map(heading), cells(all), dispensable.map(heading)).flatMap(
    (at) => all[at] ?? [],
  )
  return textTable(names.map(heading), cells(names), {
    ...options,
    align: names.map((name) => (isNumber(name) ? "right" : "left")),
  })
}

/** The rows as a table if the terminal is wide enough, else as a block for each row. */
export const tableOrBlocks = (rows: ReadonlyArray<Row>, names: ReadonlyArray<string>): string => {
  const cells = rows.map((row) => names.map((name) => cellText(row[name])))
  const width = terminalWidth()
  return tableWidth(names.map(heading), cells) > width
    ? recordBlocks(names.map(heading), cells, width)
    : rowsTable(rows, "", { names })
}
