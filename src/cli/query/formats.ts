// Answers as table, CSV, JSON, NDJSON or Markdown; all but the table as they are read, without keeping them.
import { once } from "node:events"
import type { Writable } from "node:stream"
import type { Answer } from "../../pipelines/published.ts"
import { textTable } from "../table.ts"

export type Format = "table" | "csv" | "json" | "ndjson" | "markdown"

type Cell = unknown

export const printAnswer = async (
  answer: Answer,
  format: Format,
  maxRows: number,
  out: Writable,
): Promise<void> => {
  const write = async (text: string): Promise<void> => {
    // A slow reader slows the query down instead of filling memory.
    if (text !== "" && !out.write(text)) await once(out, "drain")
  }
  const names = answer.columns.map(({ name }) => name)
  if (format === "table") return printTable(answer, maxRows, write)
  let printed = 0
  await write(headOf(format, names))
  for await (const rows of answer.rows) {
    const wanted = rows.slice(0, maxRows - printed)
    let text = ""
    for (const row of wanted) text += lineOf(format, names, row, printed++ === 0)
    await write(text)
    if (printed >= maxRows) break
  }
  if (format === "json") await write(printed === 0 ? "[]\n" : "\n]\n")
}

const headOf = (format: Format, names: ReadonlyArray<string>): string => {
  switch (format) {
    case "csv":
      return `${names.map(csvCell).join(",")}\n`
    case "markdown":
      return `| ${names.map(markdownCell).join(" | ")} |\n|${names.map(() => "---").join("|")}|\n`
    default:
      return ""
  }
}

const lineOf = (
  format: Format,
  names: ReadonlyArray<string>,
  row: ReadonlyArray<Cell>,
  isFirst: boolean,
): string => {
  switch (format) {
    case "csv":
      return `${row.map(csvCell).join(",")}\n`
    case "markdown":
      return `| ${row.map(markdownCell).join(" | ")} |\n`
    case "json":
      return `${isFirst ? "[\n" : ",\n"}  ${JSON.stringify(objectOf(names, row))}`
    default:
      return `${JSON.stringify(objectOf(names, row))}\n`
  }
}

const objectOf = (names: ReadonlyArray<string>, row: ReadonlyArray<Cell>): object =>
  Object.fromEntries(names.map((name, at) => [name, row[at]]))

const textOf = (value: Cell): string =>
  value === null || value === undefined
    ? ""
    : typeof value === "object"
      ? JSON.stringify(value)
      : String(value)

const csvCell = (value: Cell): string => {
  const text = textOf(value)
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const markdownCell = (value: Cell): string =>
  textOf(value).replaceAll("|", "\\|").replaceAll("\n", " ")

const printTable = async (
  answer: Answer,
  maxRows: number,
  write: (text: string) => Promise<void>,
): Promise<void> => {
  const shown: Array<ReadonlyArray<Cell>> = []
  let total = 0
  for await (const rows of answer.rows) {
    shown.push(...rows.slice(0, Math.max(0, maxRows - shown.length)))
    total += rows.length
  }
  const align = answer.columns.map((_, at) =>
    shown.some((row) => typeof row[at] === "number") ? "right" : "left",
  )
  const cells = shown.map((row) => row.map((value) => (value === null ? "–" : textOf(value))))
  await write(
    `${textTable(
      answer.columns.map(({ name }) => name),
      cells,
      align,
    )}\n`,
  )
  const more =
    total > shown.length ? `, the first ${shown.length} shown (--max-rows shows more)` : ""
  await write(`(${total.toLocaleString("en")} ${total === 1 ? "row" : "rows"}${more})\n`)
}
