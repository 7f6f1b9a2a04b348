// Shows unformatted values, for tables whose columns are not known in advance.
import { MISSING } from "../figures.ts"
import { html, type Html, type Child } from "./html.ts"
import type { Row } from "./columns.ts"
import type { Column } from "./table.ts"

// One cell must not fill the page; downloads contain the whole value.
const MAX_LENGTH = 400

const textOf = (value: unknown): string =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : String(value)

export const valueCell = (value: unknown): Child => {
  if (value === null || value === undefined) return html`<span class="missing">${MISSING}</span>`
  const text = textOf(value)
  return text.length > MAX_LENGTH
    ? `${text.slice(0, MAX_LENGTH)}… (${text.length} characters)`
    : text
}

/** The columns of a table whose rows are lists of values. */
export const valueColumns = (
  names: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<unknown>>,
): ReadonlyArray<Column<ReadonlyArray<unknown>>> =>
  names.map((name, at) => ({
    label: name,
    cell: (row) => valueCell(row[at]),
    ...(rows.some((row) => typeof row[at] === "number") ? { align: "right" as const } : {}),
  }))

/** A row as a description list of column names and values. */
export const pairs = (row: Row): Html =>
  html`<dl class="pairs">
    ${Object.entries(row).map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${valueCell(value)}</dd>
        </div>`,
    )}
  </dl>`
