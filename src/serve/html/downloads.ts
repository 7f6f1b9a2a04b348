// The ways from a table to one's own tools: its query as a CSV or Parquet file, or on the page for SQL. One form with the
// query, so that it works without scripts and is in the page once.
import { fieldValue, html, type Html } from "./html.ts"

/** `what` names the table for readers who hear the page. */
export const downloads = (sql: string, what: string): Html =>
  html`<form method="get" action="/api/query" class="downloads">
    <input type="hidden" name="q" value="${fieldValue(sql)}" />
    <button name="format" value="csv" aria-label="CSV: ${what}">CSV</button>
    <button name="csv_safe" value="true" aria-label="CSV for spreadsheets: ${what}">
      CSV for spreadsheets
    </button>
    <button name="format" value="parquet" aria-label="Parquet: ${what}">Parquet</button>
    <button formaction="/sql" aria-label="Open in SQL: ${what}">Open in SQL</button>
  </form>`
