// The kinds of columns in tables of rows.
import { MISSING } from "../figures.ts"
import { figure, time } from "./figure.ts"
import { html, type Html, name } from "./html.ts"
import type { Column } from "./table.ts"

export type Row = Readonly<Record<string, unknown>>

const text = (value: unknown): Html | string =>
  value === null || value === undefined ? MISSING : name(String(value))

/** Shows the first of the columns that has a value. */
export const textColumn = (label: string, ...columns: ReadonlyArray<string>): Column<Row> => ({
  label,
  cell: (row) => text(row[columns.find((column) => String(row[column] ?? "").trim() !== "") ?? ""]),
})

export const timeColumn = (label: string, column: string): Column<Row> => ({
  label,
  cell: (row) => time(row[column]),
})

export const linkColumn = (
  label: string,
  href: (row: Row) => string,
  shown: (row: Row) => string,
): Column<Row> => ({
  label,
  cell: (row) => html`<a class="code" href="${href(row)}">${shown(row)}</a>`,
})

/** `trace` returns the link to what the figure was read from. */
export const numberColumn = (
  label: string,
  column: string,
  format: (value: unknown) => string,
  trace?: (row: Row) => string,
): Column<Row> => ({
  label,
  align: "right",
  cell: (row) => figure(format(row[column]), undefined, trace?.(row)),
})

export const yesColumn = (label: string, column: string): Column<Row> => ({
  label,
  cell: (row) => (row[column] === null ? MISSING : row[column] === true ? "yes" : "no"),
})
