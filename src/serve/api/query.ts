// `/api/query`: the result of a query as JSON, CSV or Parquet.
import * as Effect from "effect/Effect"
import { csvLine, jsonObject } from "../../pipelines/readers/resultText.ts"
import { type LimitedResult, type QueryContext, runQuery, runQueryToParquet } from "../runQuery.ts"

export type Format = "csv" | "json" | "parquet"

export const isFormat = (text: string): text is Format =>
  text === "csv" || text === "json" || text === "parquet"

const types: Readonly<Record<Format, string>> = {
  csv: "text/csv; charset=utf-8",
  json: "application/json",
  parquet: "application/vnd.apache.parquet",
}

export const queryResponse = (
  context: QueryContext,
  sql: string,
  format: Format,
  csvSafe: boolean,
) =>
  format === "parquet"
    ? Effect.map(runQueryToParquet(context, sql), ({ bytes, rows }) =>
        fileOf(bytes, format, rows >= context.limits.rows ? rows : undefined),
      )
    : Effect.map(runQuery(context, sql), (result) =>
        fileOf(
          format === "csv" ? csvText(result, csvSafe) : jsonText(result),
          format,
          result.cutBy === undefined ? undefined : result.rows.length,
        ),
      )

/** The name of a file that a limit may have cut short says how much of the result it is. */
const fileOf = (
  content: string | Uint8Array<ArrayBuffer>,
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

/** `cut_by` says which limit cut the result short, `rows` or `size`. */
const jsonText = ({ columns, rows, cutBy, publication }: LimitedResult): string =>
  `{"run_id":${JSON.stringify(publication.runId)},"cut_by":${JSON.stringify(cutBy ?? null)},"columns":${JSON.stringify(
    columns.map(({ name, type }) => ({ name, type: type.toString() })),
  )},"rows":[${rows.map((row) => jsonObject(columns, row)).join(",\n")}]}\n`
