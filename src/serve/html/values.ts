// Values of any query, as they are, for tables whose columns are not known beforehand.
import { MISSING } from "../figures.ts"
import { html, type Html, type Part } from "./html.ts"
import type { Row } from "./columns.ts"
import type { Column } from "./table.ts"

// One cell must not fill the page; downloads have the whole value.
const LONGEST = 400

const textOf = (value: unknown): string =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : String(value)

export const valueCell = (value: unknown): Part => {
  if (value === null || value === undefined) return html`<span class="missing">${MISSING}</span>`
  const text = textOf(value)
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}… (${text.length} characters)` : text
}

/** Columns of rows that are lists of values. */
export const valueColumns = (
  names: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<unknown>>,
): ReadonlyArray<Column<ReadonlyArray<unknown>>> =>
  names.map((name, at) => ({
    label: name,
    cell: (row) => valueCell(row[at]),
    ...(rows.some((row) => typeof row[at] === "number") ? { align: "right" as const } : {}),
  }))

/** A row's columns and values as a list of terms. */
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
