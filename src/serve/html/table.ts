// Accessible HTML tables with a caption, scoped headers and right-aligned numbers.
import { html, type Html, type Child } from "./html.ts"

export interface Column<Row> {
  readonly label: string
  readonly cell: (row: Row) => Child
  readonly align?: "right"
}

export interface TableOptions<Row> {
  readonly caption: Child
  /** The first column is the header of each row. */
  readonly columns: ReadonlyArray<Column<Row>>
  readonly rows: ReadonlyArray<Row>
  /** The text that replaces a table without rows. */
  readonly empty: string
  /** With `cards`, each row becomes a block of labelled figures on a narrow screen. */
  readonly className?: "calendar" | "cards" | "values"
}

/** The table scrolls horizontally if it is wider than the page. */
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

/** A table with a heading, whose rows are read later. */
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
