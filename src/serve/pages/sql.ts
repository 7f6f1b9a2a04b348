// The page for queries: a form that works without scripts, the result as a table with downloads, and worked questions.
import * as Effect from "effect/Effect"
import { counted } from "../../domain/values/numbers.ts"
import { sqlFile } from "../../pipelines/readers/published.ts"
import { count } from "../figures.ts"
import type { Row } from "../html/columns.ts"
import { html, type Html } from "../html/html.ts"
import type { Page } from "../html/layout.ts"
import { table } from "../html/table.ts"
import { valueColumns } from "../html/values.ts"
import { resultChart } from "./resultChart.ts"
import { resultFile, sqlPage } from "../links.ts"
import { type LimitedResult, type Limits, type QueryContext, runQuery } from "../runQuery.ts"

/** If the query fails, the page shows it with the error message, so that it can be corrected. */
export const readSqlPage = Effect.fnUntraced(function* (
  context: QueryContext,
  typed: string,
  isOwn: boolean,
) {
  const { latest, limits } = context
  // Forms send line breaks as CR LF.
  const sql = typed.replaceAll("\r\n", "\n")
  const questions = yield* latest.read((copy) => copy.rows(sqlFile("serve", "questions")))
  const result =
    sql.trim() === "" || !isOwn
      ? undefined
      : yield* runQuery(context, sql).pipe(
          Effect.catch((error) => Effect.succeed({ failed: error.message })),
        )
  return sqlPageOf({ sql, isOwn, result, questions, limits })
})

interface SqlPage {
  readonly sql: string
  /** False if a page of another site sent the query, which then waits for a click. */
  readonly isOwn: boolean
  /** Absent if there is no query; the error message if it failed. */
  readonly result: LimitedResult | { readonly failed: string } | undefined
  /** Rows of meta.questions. */
  readonly questions: ReadonlyArray<Row>
  readonly limits: Limits
}

// More rows would make the page slow; downloads contain the whole result.
const SHOWN_ROWS = 1000

const sqlPageOf = ({ sql, isOwn, result, questions, limits }: SqlPage): Page => ({
  title: "SQL",
  section: "sql",
  scripts: ["sql.js", "result.js"],
  styles: ["uplot.css"],
  body: html`<h1>SQL</h1>
    <form method="get" action="/sql" id="query">
      <label for="q">One SELECT in DuckDB’s dialect, over everything that is published</label>
      <textarea
        id="q"
        name="q"
        spellcheck="false"
        autocapitalize="off"
        rows="9"
        aria-autocomplete="list"
        aria-controls="words"
        required
      >
${sql}</textarea>
      <ul id="words" role="listbox" aria-label="Words that complete it" hidden></ul>
      <div class="actions">
        ${!isOwn && html`<p class="note">A link on another site has this query. Read it before you run it.</p>`}
        <button>Run</button>
        <span class="note"
          >Stopped after ${limits.seconds} s; up to ${count(limits.rows)} rows.</span
        >
      </div>
    </form>
    ${result && ("failed" in result ? failure(result.failed) : resultSection(sql, result))}
    ${questionList(questions)}`,
})

const failure = (message: string): Html => html`<p class="error" role="alert">${message}</p>`

const resultSection = (sql: string, result: LimitedResult): Html => {
  const { columns, rows, cutBy, millis } = result
  const names = columns.map(({ name }) => name)
  const shown = rows.slice(0, SHOWN_ROWS)
  const cut = cutBy === undefined ? "" : cutBy === "rows" ? ", the limit" : ", all that fits"
  const caption = `${counted(rows.length, "row")}${cut}${
    shown.length < rows.length ? `, the first ${count(shown.length)} shown` : ""
  }, in ${count(millis)} ms`
  return html`<section aria-labelledby="query-result">
    <h2 id="query-result">Result</h2>
    <p class="actions">
      <a class="button" href="${resultFile(sql, "csv")}" download>CSV</a>
      <a class="button" href="${resultFile(sql, "csv", true)}" download>CSV for spreadsheets</a>
      <a class="button" href="${resultFile(sql, "parquet")}" download>Parquet</a>
      <a class="button" href="${resultFile(sql, "json")}">JSON</a>
    </p>
    ${resultChart(sql, result)}
    ${table({
      caption,
      rows: shown,
      columns: valueColumns(names, shown),
      empty: `No rows, with the columns ${names.join(", ")}.`,
      className: "values",
    })}
  </section>`
}

const questionList = (questions: ReadonlyArray<Row>): Html =>
  html`<section aria-labelledby="questions">
    <h2 id="questions">Worked questions</h2>
    <ul class="questions">
      ${questions.map(
        ({ question, reader, sql }) =>
          html`<li>
            <a href="${sqlPage(String(sql))}">${String(question)}</a>
            <span class="note">For ${String(reader)}</span>
          </li>`,
      )}
    </ul>
  </section>`
