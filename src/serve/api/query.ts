// `/api/query`: returns the result of a query as JSON, CSV or Parquet.
import * as Effect from "effect/Effect"
import { csvLine, jsonObject } from "../../pipelines/readers/query/resultText.ts"
import { ReadError } from "../../pipelines/readers/published.ts"
import { type LimitedResult, type QueryContext, runQuery, runQueryToParquet } from "../runQuery.ts"

const types = {
  json: "application/json",
  csv: "text/csv; charset=utf-8",
  parquet: "application/vnd.apache.parquet",
} as const

type Format = keyof typeof types

const isFormat = (text: string): text is Format => Object.hasOwn(types, text)

const invalid = (why: string) =>
  new ReadError({ why, advice: "docs/web-page.md describes the API." })

/** Runs the query in the URL's parameters. */
export const queryResponse = Effect.fnUntraced(function* (
  context: QueryContext,
  { q = "", format = "json", csv_safe: isSafe = "false" }: Readonly<Record<string, string>>,
) {
  // Forms send line breaks as CR LF.
  const sql = q.replaceAll("\r\n", "\n")
  if (!isFormat(format)) return yield* invalid(`format=${format} is not json, csv or parquet.`)
  if (isSafe !== "true" && isSafe !== "false") {
    return yield* invalid(`csv_safe=${isSafe} is not true or false.`)
  }
  if (sql.trim() === "") {
    return yield* invalid("There is no query: write one SELECT as the parameter q.")
  }
  if (format === "parquet") {
    const { content, rows } = yield* runQueryToParquet(context, sql)
    return fileResponse(content, format, rows >= context.limits.rows ? rows : undefined)
  }
  const result = yield* runQuery(context, sql)
  return fileResponse(
    format === "csv" ? csvText(result, isSafe === "true") : jsonText(result),
    format,
    result.cutBy === undefined ? undefined : result.rows.length,
  )
})

/** If a limit may have cut the result short, the file name says how many rows it has. */
const fileResponse = (
  content: string | ReadableStream,
  format: Format,
  firstRows: number | undefined,
): Response =>
  new Response(content, {
    headers: {
      "content-type": types[format],
      ...(format === "json"
        ? {}
        : {
            "content-disposition": `attachment; filename="result${firstRows === undefined ? "" : `-first-${firstRows}-rows`}.${format}"`,
          }),
    },
  })

const csvText = ({ columns, rows }: LimitedResult, isSafe: boolean): string =>
  [columns.map(({ name }) => name), ...rows].map((row) => `${csvLine(row, isSafe)}\n`).join("")

/** `cut_by` names the limit that cut the result short: `rows` or `size`. */
const jsonText = ({ columns, rows, cutBy, publication }: LimitedResult): string =>
  `{"run_id":${JSON.stringify(publication.runId)},"cut_by":${JSON.stringify(cutBy ?? null)},"columns":${JSON.stringify(
    columns.map(({ name, type }) => ({ name, type })),
  )},"rows":[${rows.map((row) => jsonObject(columns, row)).join(",\n")}]}\n`
