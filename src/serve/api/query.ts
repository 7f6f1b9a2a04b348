// `/api/query`: returns the result of a query as JSON, CSV or Parquet.
import * as Effect from "effect/Effect"
import { csvLine, jsonObjects } from "../../pipelines/readers/query/resultText.ts"
import { ReadError } from "../../pipelines/readers/published.ts"
import {
  firstRowTooLarge,
  type LimitedResult,
  MAX_BYTES,
  type QueryContext,
  runQuery,
  runQueryToParquet,
} from "../runQuery.ts"
import { onlyParametersOf, parametersOf, withValues } from "../sql/parameterFields.ts"
import { WITHOUT_VALUE } from "../sql/queryAdvice.ts"

const types = {
  json: "application/json",
  csv: "text/csv; charset=utf-8",
  parquet: "application/vnd.apache.parquet",
} as const

type Format = keyof typeof types

const isFormat = (text: string): text is Format => Object.hasOwn(types, text)

const invalid = (why: string) =>
  new ReadError({ why, advice: "docs/web-page.md describes the API." })

/** The advice about a parameter without a value names the flag of the command line. */
const inAddress = (error: ReadError): ReadError =>
  WITHOUT_VALUE.test(error.why)
    ? new ReadError({
        why: error.why,
        advice: "Give each a value in the address, such as p.days=30.",
      })
    : error

/** Runs the query in the URL's parameters, with the values of its own: `p.days=30`. */
export const queryResponse = Effect.fnUntraced(function* (
  context: QueryContext,
  address: Readonly<Record<string, string>>,
) {
  const {
    q = "",
    csv_safe: isSafe = "false",
    // A button of a form sends one parameter.
    format = isSafe === "true" ? "csv" : "json",
  } = address
  // Forms send line breaks as CR LF.
  const typed = q.replaceAll("\r\n", "\n")
  if (!isFormat(format)) return yield* invalid(`format=${format} is not json, csv or parquet.`)
  if (isSafe !== "true" && isSafe !== "false") {
    return yield* invalid(`csv_safe=${isSafe} is not true or false.`)
  }
  if (typed.trim() === "") {
    return yield* invalid("There is no query: write one SELECT as the parameter q.")
  }
  yield* onlyParametersOf(typed, address)
  const sql = yield* withValues(typed, parametersOf(typed, address))
  if (format === "parquet") {
    const { content, rows } = yield* runQueryToParquet(context, sql)
    return fileResponse(content, format, rows >= context.limits.rows ? rows : undefined)
  }
  const result = yield* runQuery(context, sql)
  const { content, cutBy, rows } = yield* written(
    result,
    format === "csv" ? csvWriting(result, isSafe === "true") : jsonWriting(result),
  )
  return fileResponse(content, format, cutBy === undefined ? undefined : rows)
}, Effect.mapError(inAddress))

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

/** How a result becomes text: its head, each row, its end. */
interface Writing {
  /** As long whichever limit cut the result. */
  readonly head: (cutBy: LimitedResult["cutBy"]) => string
  readonly row: (row: LimitedResult["rows"][number], isFirst: boolean) => string
  readonly end: string
}

const BYTES_AT_A_TIME = 1_000_000

/** The text of the rows that fit into `MAX_BYTES`, and their number. Fails if not even the first fits. */
const written = Effect.fnUntraced(function* (result: LimitedResult, { head, row, end }: Writing) {
  const texts: Array<string> = []
  let bytes = Buffer.byteLength(head("size") + end)
  let pauseAt = BYTES_AT_A_TIME
  for (const each of result.rows) {
    const text = row(each, texts.length === 0)
    // Names stand in each row of JSON; quotes are doubled in CSV.
    bytes += Buffer.byteLength(text)
    if (bytes > MAX_BYTES) break
    texts.push(text)
    if (bytes >= pauseAt) {
      // Other requests have their turn.
      yield* Effect.yieldNow
      pauseAt = bytes + BYTES_AT_A_TIME
    }
  }
  const isCut = texts.length < result.rows.length
  if (isCut && texts.length === 0) return yield* firstRowTooLarge
  const cutBy = isCut ? "size" : result.cutBy
  return { content: `${head(cutBy)}${texts.join("")}${end}`, cutBy, rows: texts.length }
})

const csvWriting = ({ columns }: LimitedResult, isSafe: boolean): Writing => {
  const line = (values: ReadonlyArray<unknown>): string => `${csvLine(values, isSafe)}\n`
  return { head: () => line(columns.map(({ name }) => name)), row: line, end: "" }
}

/** `cut_by` names the limit that cut the result short: `rows` or `size`. */
const jsonWriting = ({ columns, publication }: LimitedResult): Writing => {
  const object = jsonObjects(columns)
  return {
    head: (cutBy) =>
      `{"run_id":${JSON.stringify(publication.runId)},"cut_by":${JSON.stringify(cutBy ?? null)},"columns":${JSON.stringify(
        columns.map(({ name, type }) => ({ name, type })),
      )},"rows":[`,
    row: (row, isFirst) => `${isFirst ? "" : ",\n"}${object(row)}`,
    end: "]}\n",
  }
}
