// Questions in SQL: a form that works without script, the answer as a table, downloads, and the worked questions.
import * as Effect from "effect/Effect"
import { sqlFile } from "../../pipelines/readers/published.ts"
import { count } from "../html/figures.ts"
import { html, type Html } from "../html/html.ts"
import type { Page } from "../html/layout.ts"
import { table } from "../html/table.ts"
import { valueColumns } from "../html/values.ts"
import { resultChart } from "./resultChart.ts"
import { answerFile, sqlPage } from "../links.ts"
import { type Answer, ask, type Asking, type Limits } from "../questions.ts"

type Row = Readonly<Record<string, unknown>>

/** A question that fails is shown with its message, to be mended. */
export const readSqlPage = Effect.fnUntraced(function* (asking: Asking, typed: string) {
  const { latest, limits } = asking
  // A form sends the ends of lines as CR LF.
  const sql = typed.replaceAll("\r\n", "\n")
  const questions = yield* latest.read((copy) => copy.rows(sqlFile("serve", "questions")))
  const answer =
    sql.trim() === ""
      ? undefined
      : yield* ask(asking, sql).pipe(
          Effect.catch((error) => Effect.succeed({ failed: error.message })),
        )
  return sqlPageOf({ sql, answer, questions, limits })
})

interface SqlPage {
  readonly sql: string
  /** Absent before a question; the message where it failed. */
  readonly answer: Answer | { readonly failed: string } | undefined
  /** Rows of meta.questions. */
  readonly questions: ReadonlyArray<Row>
  readonly limits: Limits
}

// More makes the page slow to show; downloads have all of an answer.
const SHOWN_ROWS = 1000

const sqlPageOf = ({ sql, answer, questions, limits }: SqlPage): Page => ({
  title: "SQL",
  section: "sql",
  scripts: ["sql.js", "result.js"],
  styles: ["uplot.css"],
  body: html`<h1>SQL</h1>
    <form method="get" action="/sql" id="question">
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
        <button>Run</button>
        <span class="note"
          >Stopped after ${limits.seconds} s; up to ${count(limits.rows)} rows.</span
        >
      </div>
    </form>
    ${answer && ("failed" in answer ? failure(answer.failed) : answerSection(sql, answer))}
    ${questionList(questions)}`,
})

const failure = (message: string): Html => html`<p class="error" role="alert">${message}</p>`

const answerSection = (sql: string, answer: Answer): Html => {
  const { columns, rows, cutBy, millis } = answer
  const names = columns.map(({ name }) => name)
  const shown = rows.slice(0, SHOWN_ROWS)
  const cut = cutBy === undefined ? "" : cutBy === "rows" ? ", the limit" : ", all that fits"
  const caption = `${count(rows.length)} ${rows.length === 1 ? "row" : "rows"}${cut}${
    shown.length < rows.length ? `, the first ${count(shown.length)} shown` : ""
  }, in ${count(millis)} ms`
  return html`<section aria-labelledby="answer">
    <h2 id="answer">Answer</h2>
    <p class="actions">
      <a class="button" href="${answerFile(sql, "csv")}" download>CSV</a>
      <a class="button" href="${answerFile(sql, "csv", true)}" download>CSV for spreadsheets</a>
      <a class="button" href="${answerFile(sql, "parquet")}" download>Parquet</a>
      <a class="button" href="${answerFile(sql, "json")}">JSON</a>
    </p>
    ${resultChart(sql, answer)}
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
