// Tables that a screen reader can read: a caption, headers with their scope, numbers to the right.
import { html, type Html, type Part } from "./html.ts"

export interface Column<Row> {
  readonly label: string
  readonly cell: (row: Row) => Part
  readonly align?: "right"
}

export interface TableOptions<Row> {
  readonly caption: Part
  /** The first names the row. */
  readonly columns: ReadonlyArray<Column<Row>>
  readonly rows: ReadonlyArray<Row>
  /** What no rows mean. */
  readonly empty: string
  /** `cards`: on a narrow screen each row is a block of labelled figures. */
  readonly className?: "calendar" | "cards" | "values"
}

/** It scrolls by itself where it is wider than the page. */
export const table = <Row>({
  caption,
  columns,
  rows,
  empty,
  className,
}: TableOptions<Row>): Html => {
  if (rows.length === 0) return html`<p class="empty">${empty}</p>`
  const [first, ...others] = columns
  const align = (column: Column<Row>) => (column.align === "right" ? "number" : "text")
  return html`<div class="scroll" tabindex="0">
    <table class="${className ?? ""}">
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          ${columns.map((column) => html`<th scope="col" class="${align(column)}">${column.label}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${first && html`<th scope="row" class="${align(first)}">${first.cell(row)}</th>`}
              ${others.map((column) => html`<td class="${align(column)}" ${className === "cards" && html`data-label="${column.label}"`}>${column.cell(row)}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`
}

/** A table below a heading, for rows that are read later. */
export interface TableSection<Row> extends Omit<TableOptions<Row>, "rows"> {
  readonly title: string
}

export const tableSection = <Row>(
  id: string,
  { title, ...options }: TableSection<Row>,
  rows: ReadonlyArray<Row>,
): Html =>
  html`<section aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    ${table({ ...options, rows })}
  </section>`
