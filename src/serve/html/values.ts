// Shows unformatted values, for tables whose columns are not known in advance.
import { MISSING } from "../figures.ts"
import { html, type Html, type Child } from "./html.ts"
import type { Row } from "./columns.ts"
import type { Column } from "./table.ts"

// Neither one cell nor all of them may fill the page, which everybody's requests wait for; downloads contain the whole values.
const MAX_LENGTH = 400
const MAX_TOGETHER = 1_000_000

const textOf = (value: unknown): string =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : String(value)

/** `length`: so many characters are shown. */
export const valueCell = (value: unknown, length = MAX_LENGTH): Child => {
  if (value === null || value === undefined) return html`<span class="missing">${MISSING}</span>`
  const text = textOf(value)
  return text.length > length ? `${text.slice(0, length)}… (${text.length} characters)` : text
}

/** The columns of a table whose rows are lists of values. */
export const valueColumns = (
  names: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<unknown>>,
): ReadonlyArray<Column<ReadonlyArray<unknown>>> => {
  const cells = Math.max(1, names.length * rows.length)
  const length = Math.min(MAX_LENGTH, Math.floor(MAX_TOGETHER / cells))
  return names.map((name, at) => ({
    label: name,
    cell: (row) => valueCell(row[at], length),
    ...(rows.some((row) => typeof row[at] === "number") ? { align: "right" as const } : {}),
  }))
}

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
