// Answers as table, CSV, JSON, NDJSON or Markdown; all but the table as they are read, without keeping them.
import { once } from "node:events"
import type { Writable } from "node:stream"
import type { Answer } from "../../pipelines/readers/published.ts"
import { tableWidth, textTable } from "../table.ts"
import { sideways } from "../sideways.ts"

export type Format = "table" | "csv" | "json" | "ndjson" | "markdown"

type Cell = unknown

/** A table wider than `sidewaysBeyond` characters is turned on its side. */
export const printAnswer = async (
  answer: Answer,
  format: Format,
  maxRows: number,
  out: Writable,
  sidewaysBeyond = Infinity,
): Promise<void> => {
  const write = async (text: string): Promise<void> => {
    // A slow reader slows the query down instead of filling memory.
    if (text !== "" && !out.write(text)) await once(out, "drain")
  }
  const names = answer.columns.map(({ name }) => name)
  if (format === "table") return printTable(answer, maxRows, sidewaysBeyond, write)
  let printed = 0
  await write(headOf(format, names))
  for await (const rows of answer.rows) {
    const wanted = rows.slice(0, maxRows - printed)
    let text = ""
    for (const row of wanted) text += lineOf(format, answer.columns, row, printed++ === 0)
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
  columns: Answer["columns"],
  row: ReadonlyArray<Cell>,
  isFirst: boolean,
): string => {
  switch (format) {
    case "csv":
      return `${row.map(csvCell).join(",")}\n`
    case "markdown":
      return `| ${row.map(markdownCell).join(" | ")} |\n`
    case "json":
      return `${isFirst ? "[\n" : ",\n"}  ${objectText(columns, row)}`
    default:
      return `${objectText(columns, row)}\n`
  }
}

/** JSON is put in as it is stored, on one line: parsed, it would lose digits. */
const objectText = (columns: Answer["columns"], row: ReadonlyArray<Cell>): string => {
  const fields = columns.map(({ name, type }, at) => {
    const value = row[at]
    const isJson = type.alias === "JSON" && typeof value === "string"
    const text = isJson ? value.replaceAll(/[\n\r]+\s*/g, " ") : JSON.stringify(value ?? null)
    return `${JSON.stringify(name)}:${text}`
  })
  return `{${fields.join(",")}}`
}

const textOf = (value: Cell): string =>
  value === null || value === undefined
    ? ""
    : typeof value === "object"
      ? JSON.stringify(value)
      : String(value)

/** An empty text is quoted: without, it is an absence. */
const csvCell = (value: Cell): string => {
  const text = textOf(value)
  if (value === "") return '""'
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const markdownCell = (value: Cell): string =>
  visible(textOf(value).replaceAll(/\r?\n|\r/g, " ")).replaceAll(/[\\|]/g, "\\$&")

/** A terminal obeys control characters: what a service sends must not reach it as such. */
const visible = (text: string): string =>
  // oxlint-disable-next-line no-control-regex
  text.replaceAll(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g, (character) =>
    character === "\t" ? "  " : `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`,
  )

const printTable = async (
  answer: Answer,
  maxRows: number,
  sidewaysBeyond: number,
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
  const cells = shown.map((row) =>
    row.map((value) => (value === null ? "–" : visible(textOf(value)))),
  )
  const names = answer.columns.map(({ name }) => name)
  await write(
    tableWidth(names, cells) > sidewaysBeyond && cells.length > 0
      ? `${sideways(names, cells, sidewaysBeyond)}\n`
      : `${textTable(names, cells, align)}\n`,
  )
  const more =
    total > shown.length ? `, the first ${shown.length} shown (--max-rows shows more)` : ""
  await write(`(${total.toLocaleString("en")} ${total === 1 ? "row" : "rows"}${more})\n`)
}
