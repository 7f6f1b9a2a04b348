// Query results as table, CSV, JSON, NDJSON or Markdown; all but the table are printed as they are read.
import * as Effect from "effect/Effect"
import type { QueryParameters } from "../../../domain/values/queryParameter.ts"
import { type QueryResult, type Reader, ReadError } from "../../../pipelines/readers/published.ts"
import { cellText, csvLine, jsonObjects } from "../../../pipelines/readers/query/resultText.ts"
import { duration } from "../../words/numbers.ts"
import { printData, shown } from "../../terminal/output.ts"
import { recordBlocks, tableWidth, textTable } from "../../terminal/table.ts"
import { counted } from "../../../domain/values/numbers.ts"

export type Format = "table" | "csv" | "json" | "ndjson" | "markdown"

export interface Printing {
  readonly format: Format
  readonly maxRows: number
  readonly parameters: QueryParameters
  /** A table wider than this is printed as a block for each row. */
  readonly maxWidth: number
  /** In CSV, put a ' before text that a spreadsheet would run as a formula. */
  readonly csvSafe: boolean
}

export interface QueryOptions extends Printing {
  readonly timeoutSeconds: number | undefined
}

/** Prints some text; false once the reader has left. */
type Print = (text: string) => Promise<boolean>

type Cell = unknown

/** Runs the query and prints its result; stops it after `timeoutSeconds`. */
export const queryAndPrint = (
  copy: Reader,
  sql: string,
  options: QueryOptions,
): Effect.Effect<void, ReadError> => {
  const { parameters, timeoutSeconds } = options
  const printed = copy.query(sql, parameters, (result) => printResult(result, options))
  if (timeoutSeconds === undefined) return printed
  return Effect.timeoutOrElse(printed, {
    duration: timeoutSeconds * 1000,
    orElse: () =>
      Effect.fail(
        new ReadError({
          why: `The query was stopped after ${duration(timeoutSeconds)}.`,
          advice: "--timeout allows more.",
        }),
      ),
  })
}

export const printResult = async (
  result: QueryResult,
  printing: Omit<Printing, "parameters">,
  print: Print = printData,
): Promise<void> => {
  const { format, maxRows, csvSafe } = printing
  if (format === "table") return printTable(result, printing, print)
  const names = result.columns.map(({ name }) => name)
  const lineOf = lineIn(format, result.columns, csvSafe)
  let printed = 0
  let hasReader = await print(headOf(format, names, csvSafe))
  for await (const rows of result.rows) {
    let text = ""
    for (const row of rows.slice(0, maxRows - printed)) text += lineOf(row, printed++ === 0)
    hasReader = await print(text)
    if (!hasReader || printed >= maxRows) break
  }
  if (hasReader && format === "json") await print(printed === 0 ? "[]\n" : "\n]\n")
}

const headOf = (format: Format, names: ReadonlyArray<string>, csvSafe: boolean): string => {
  switch (format) {
    case "csv":
      return `${csvLine(names, csvSafe)}\n`
    case "markdown":
      return `| ${names.map(markdownCell).join(" | ")} |\n|${names.map(() => "---").join("|")}|\n`
    default:
      return ""
  }
}

/** Writes each row of a result in a format. */
const lineIn = (
  format: Format,
  columns: QueryResult["columns"],
  csvSafe: boolean,
): ((row: ReadonlyArray<Cell>, isFirst: boolean) => string) => {
  const object = jsonObjects(columns)
  switch (format) {
    case "csv":
      return (row) => `${csvLine(row, csvSafe)}\n`
    case "markdown":
      return (row) => `| ${row.map(markdownCell).join(" | ")} |\n`
    case "json":
      return (row, isFirst) => `${isFirst ? "[\n" : ",\n"}  ${object(row)}`
    default:
      return (row) => `${object(row)}\n`
  }
}

const markdownCell = (value: Cell): string =>
  cellText(value)
    .replaceAll(/\r?\n|\r/g, " ")
    .replaceAll(/[\\|]/g, "\\$&")

const printTable = async (
  { columns, rows }: QueryResult,
  { maxRows, maxWidth }: Pick<Printing, "maxRows" | "maxWidth">,
  print: Print,
): Promise<void> => {
  const kept: Array<ReadonlyArray<Cell>> = []
  let total = 0
  for await (const batch of rows) {
    kept.push(...batch.slice(0, Math.max(0, maxRows - kept.length)))
    total += batch.length
  }
  const align = columns.map((_, at) =>
    kept.some((row) => typeof row[at] === "number") ? "right" : "left",
  )
  const cells = kept.map((row) =>
    row.map((value) => (value === null ? "–" : shown(cellText(value)))),
  )
  const names = columns.map(({ name }) => shown(name))
  const isTooWide = cells.length > 0 && tableWidth(names, cells) > maxWidth
  await print(
    `${isTooWide ? recordBlocks(names, cells, maxWidth) : textTable(names, cells, { align })}\n`,
  )
  const more = total > kept.length ? `, the first ${kept.length} shown; --max-rows shows more` : ""
  await print(`(${counted(total, "row")}${more})\n`)
}
