// The page for queries: a form that works without scripts, the result as a table with downloads, worked questions, and the
// tables with their columns.
import * as Effect from "effect/Effect"
import { counted } from "../../domain/values/numbers.ts"
import { ReadError, sqlFile } from "../../pipelines/readers/published.ts"
import { count } from "../figures.ts"
import type { Row } from "../html/columns.ts"
import { fieldValue, html, type Html } from "../html/html.ts"
import type { Page } from "../html/layout.ts"
import { table } from "../html/table.ts"
import { valueColumns } from "../html/values.ts"
import { resultChart } from "./resultChart.ts"
import { resultFile, sqlPage, withParameters } from "../links.ts"
import { type LimitedResult, type Limits, runQuery } from "../runQuery.ts"
import type { Site } from "../site.ts"
import { addressOf, parameterFields, parametersOf, withValues } from "../sql/parameterFields.ts"
import { queryProblem } from "../sql/queryAdvice.ts"
import { tableTree } from "../sql/tableTree.ts"

// More at a time would make the page slow; downloads contain the whole result.
const SHOWN_ROWS = 100
const SHOWN_CELLS = 10_000

/** How many rows a page of the result has. */
const rowsAtATime = (columns: number): number =>
  Math.max(1, Math.min(SHOWN_ROWS, Math.floor(SHOWN_CELLS / Math.max(1, columns))))

/** The page's address: `?q=…&p.days=30&page=2`. */
export type SqlAddress = Readonly<Record<string, string>>

/** If the query fails, the page shows it with the error message, so that it can be corrected. */
export const readSqlPage = Effect.fnUntraced(function* (
  site: Site,
  address: SqlAddress,
  isOwn: boolean,
) {
  const { latest, limits } = site
  // Forms send line breaks as CR LF.
  const sql = (address["q"] ?? "").replaceAll("\r\n", "\n")
  const values = parametersOf(sql, address)
  const shown = yield* pageOf(address["page"])
  const questions = yield* latest.read((copy) => copy.rows(sqlFile("serve", "questions")))
  const result =
    sql.trim() === "" || !isOwn
      ? undefined
      : yield* withValues(sql, values).pipe(
          Effect.flatMap((filled) => runQuery(site, filled)),
          Effect.catch((error) => Effect.succeed({ failed: queryProblem(error) })),
        )
  return sqlPageOf({ site, sql, values, shown, isOwn, result, questions, limits })
})

const pageOf = (text = "1"): Effect.Effect<number, ReadError> =>
  /^[1-9]\d{0,5}$/.test(text)
    ? Effect.succeed(Number(text))
    : Effect.fail(
        new ReadError({ why: `page=${text} is not a number from 1.`, advice: "The first is 1." }),
      )

interface SqlPage {
  readonly site: Site
  readonly sql: string
  /** Of the parameters of the query. */
  readonly values: Readonly<Record<string, string>>
  /** Which part of the rows, from 1. */
  readonly shown: number
  /** False if a page of another site sent the query, or may have: it then waits for a click. */
  readonly isOwn: boolean
  /** Absent if there is no query; the error message if it failed. */
  readonly result: LimitedResult | { readonly failed: string } | undefined
  /** Rows of meta.questions. */
  readonly questions: ReadonlyArray<Row>
  readonly limits: Limits
}

const sqlPageOf = (page: SqlPage): Page => {
  const { site, sql, values, isOwn, result, questions, limits } = page
  return {
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
${isOwn ? fieldValue(sql) : sql}</textarea>
        <ul id="words" role="listbox" aria-label="Words that complete it" hidden></ul>
        ${parameterFields(sql, values, isOwn)}
        <div class="actions">
          ${!isOwn && html`<p class="note">This query may come from a link on another site. Read it before you run it.</p>`}
          <button>Run</button>
          <span class="note"
            >Stopped after ${limits.seconds} s; up to ${count(limits.rows)} rows.
            <a href="#tables">Tables and columns</a>,
            <a href="#questions">worked questions</a></span
          >
        </div>
      </form>
      ${result && ("failed" in result ? failure(result.failed) : resultSection(page, result))}
      ${questionList(questions)}`,
    sections: [Effect.map(site.vocabulary, tableTree)],
  }
}

const failure = (message: string): Html => html`<p class="error" role="alert">${message}</p>`

const resultSection = ({ sql, values, shown: page }: SqlPage, result: LimitedResult): Html => {
  const { columns, rows, cutBy, millis } = result
  const given = addressOf(values)
  const names = columns.map(({ name }) => name)
  const atATime = rowsAtATime(columns.length)
  const first = (page - 1) * atATime
  const shown = rows.slice(first, first + atATime)
  const json = resultFile(sql, given, "json")
  const isPart = shown.length < rows.length
  const link = (to: number, label: string): Html =>
    html`<a
      class="button"
      href="${withParameters("/sql", [["q", sql], ...given, ["page", String(to)]])}#query-result"
      >${label}</a
    >`
  const cut = cutBy === undefined ? "" : cutBy === "rows" ? ", the limit" : ", all that fits"
  const caption = `${counted(rows.length, "row")}${cut}${
    isPart ? `, ${count(first + 1)} to ${count(first + shown.length)} shown` : ""
  }, in ${count(millis)} ms`
  return html`<section aria-labelledby="query-result">
    <h2 id="query-result">Result</h2>
    <p class="actions">
      <a class="button" href="${resultFile(sql, given, "csv")}" download>CSV</a>
      <a class="button" href="${resultFile(sql, given, "csv", true)}" download
        >CSV for spreadsheets</a
      >
      <a class="button" href="${resultFile(sql, given, "parquet")}" download>Parquet</a>
      <a class="button" href="${json}">JSON</a>
    </p>
    ${resultChart(json, result)}
    ${table({
      caption,
      rows: shown,
      columns: valueColumns(names, shown),
      empty:
        rows.length === 0
          ? `No rows, with the columns ${names.join(", ")}.`
          : `There are ${counted(rows.length, "row")} only.`,
      className: "values",
    })}
    ${
      isPart &&
      html`<p class="actions">
          ${page > 1 && link(page - 1, "Previous rows")}
          ${first + atATime < rows.length && link(page + 1, "Next rows")}
        </p>
        <p class="note">
          Each page runs the query again. Without ORDER BY, or after a new publication, rows may
          repeat or be missing from one page to the next; a download has the rows of one execution.
        </p>`
    }
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
