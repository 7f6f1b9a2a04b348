// Accessible HTML tables with a caption, scoped headers and right-aligned numbers.
import { downloads } from "./downloads.ts"
import { html, type Html, type Child } from "./html.ts"

export interface Column<Row> {
  readonly label: string
  readonly cell: (row: Row) => Child
  readonly align?: "right"
  /** The link that sorts by the column, and how the rows are sorted by it now. */
  readonly sort?: { readonly href: string; readonly now: "ascending" | "descending" | undefined }
  /** What the figures of all rows add up to. */
  readonly total?: Child
}

export interface TableOptions<Row> {
  readonly caption: Child
  /** The first column is the header of each row. */
  readonly columns: ReadonlyArray<Column<Row>>
  readonly rows: ReadonlyArray<Row>
  /** The text that replaces a table without rows. */
  readonly empty: string
  /** Each row becomes a block of labelled figures on a narrow screen, unless the table is one of these. */
  readonly className?: "calendar" | "values"
  /** The query of the rows and what they are, to download them or to open them in SQL. */
  readonly source?: { readonly sql: string; readonly what: string }
}

/** The table scrolls horizontally if it is wider than the page. */
export const table = <Row>({
  caption,
  columns,
  rows,
  empty,
  className,
  source,
}: TableOptions<Row>): Html => {
  if (rows.length === 0) return html`<p class="empty">${empty}</p>`
  const [first, ...others] = columns
  const align = (column: Column<Row>) => (column.align === "right" ? "number" : "text")
  const label = (column: Column<Row>) =>
    className === undefined && html`data-label="${column.label}"`
  return html`<div class="scroll" tabindex="0">
      <table class="${className ?? "cards"}">
        <caption>
          ${caption}
        </caption>
        <thead>
          <tr>
            ${columns.map((column) => header(column, align(column)))}
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            (row) =>
              html`<tr>
                ${first && html`<th scope="row" class="${align(first)}" ${label(first)}>${first.cell(row)}</th>`}
                ${others.map((column) => html`<td class="${align(column)}" ${label(column)}>${column.cell(row)}</td>`)}
              </tr>`,
          )}
        </tbody>
        ${
          columns.some(({ total }) => total !== undefined) &&
          html`<tfoot>
            <tr>
              <th scope="row">Together</th>
              ${others.map((column) => html`<td class="${align(column)}" ${label(column)}>${column.total}</td>`)}
            </tr>
          </tfoot>`
        }
      </table>
    </div>
    ${source !== undefined && downloads(source.sql, source.what)}`
}

const header = <Row>({ label, sort }: Column<Row>, align: string): Html =>
  sort === undefined
    ? html`<th scope="col" class="${align}">${label}</th>`
    : html`<th
        scope="col"
        class="${align}"
        ${sort.now !== undefined && html`aria-sort="${sort.now}"`}
      >
        <a href="${sort.href}" rel="nofollow">${label}</a>
      </th>`

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
