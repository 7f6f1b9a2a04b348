// Rows of the warehouse as a table for a terminal: headings from their names, absences as a dash.
import { textTable } from "./table.ts"

export type Row = Readonly<Record<string, unknown>>

/** An instant loses the `T` and its milliseconds where they are none. */
export const cellText = (value: unknown): string => {
  if (value === null || value === undefined) return "–"
  if (typeof value === "number") return value.toLocaleString("en", { maximumSignificantDigits: 17 })
  const text = typeof value === "object" ? JSON.stringify(value) : String(value)
  return text.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.0+|(\.\d+))?Z$/, "$1 $2$3")
}

/** `none` where there are no rows. */
export const rowsTable = (
  rows: ReadonlyArray<Row>,
  none: string,
  names: ReadonlyArray<string> = Object.keys(rows[0] ?? {}),
): string => {
  if (rows.length === 0) return none
  const isNumber = (name: string): boolean => rows.some((row) => typeof row[name] === "number")
  return textTable(
    names.map((name) => name.replaceAll("_", " ").trim()),
    rows.map((row) => names.map((name) => cellText(row[name]))),
    names.map((name) => (isNumber(name) ? "right" : "left")),
  )
}
