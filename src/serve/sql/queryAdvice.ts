// What to do on the page about a query that failed. Other readers of the same errors have other means.
import type { ReadError } from "../../pipelines/readers/published.ts"

/** DuckDB's words about a parameter without a value. */
export const WITHOUT_VALUE = /following prepared statement parameters/

const advices: ReadonlyArray<readonly [RegExp, string]> = [
  [WITHOUT_VALUE, "Give each parameter a value in its field, and run the query again."],
  [/Cannot access file|No files found that match/, "A query reads what is published, and no file."],
  [
    /Referenced (column|table) |does not have a column|(Table|View|Table Function) with name/,
    "The tables and their columns are listed below.",
  ],
  [/was stopped after/, "Narrow it to a vault or some days."],
]

export const queryProblem = ({ why, advice }: ReadError): string => {
  const ofPage = advices.find(([pattern]) => pattern.test(why))?.[1]
  const said = ofPage ?? (/`vaulthouse |--\w/.test(advice) ? "" : advice)
  return said === "" ? why : `${why}\n${said}`
}
