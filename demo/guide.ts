// Runs the queries in docs/analysts-guide.md and writes the answers below them.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { DuckDBConnection } from "@duckdb/node-api"
import { typedValue } from "../src/pipelines/readers/query/typedValues.ts"
import { textTable } from "../src/cli/terminal/table.ts"
import { marts } from "../src/load/marts/marts.ts"
import { bindParameters } from "../src/load/published/read/reader/bindParameters.ts"

const root = join(import.meta.dirname, "..")
const examples = join(root, "warehouse/examples")
export const guideFile = join(root, "docs/analysts-guide.md")

const MAX_WIDTH = 118
const MAX_ROWS = 12

/** A question, with its answer below if there is one. */
const question = /```(sql|sh)\n([\s\S]*?)```\n(?:\n```text\n[\s\S]*?```\n)?/g
const exampleCommand = /^npx vaulthouse query --file warehouse\/examples\/([\w-]+)\.sql(.*)$/m
const martList = /(<!-- marts -->\n)[\s\S]*?(<!-- \/marts -->)/
const questionList = /(<!-- questions -->\n)[\s\S]*?(<!-- \/questions -->)/

const listed =
  (list: string) =>
  (_: string, before: string, after: string): string =>
    [before, list, after].join("")

/** The guide with up-to-date answers. */
export const withAnswers = async (guide: string, connection: DuckDBConnection): Promise<string> => {
  const parts: Array<string> = []
  let end = 0
  for (const match of guide.matchAll(question)) {
    const [whole, language = "", code = ""] = match
    const query = language === "sql" ? { sql: code, given: [] } : exampleOf(code)
    parts.push(guide.slice(end, match.index))
    parts.push(
      query === undefined
        ? whole
        : `\`\`\`${language}\n${code}\`\`\`\n\n\`\`\`text\n${await answerOf(connection, query)}\n\`\`\`\n`,
    )
    end = match.index + whole.length
  }
  const text = [...parts, guide.slice(end)].join("")
  return text
    .replace(questionList, listed(listOfQuestions()))
    .replace(martList, listed(listOfMarts()))
}

interface Query {
  readonly sql: string
  /** As typed after --param. */
  readonly given: ReadonlyArray<string>
}

const exampleOf = (command: string): Query | undefined => {
  const [, name, rest = ""] = exampleCommand.exec(command) ?? []
  if (name === undefined) return undefined
  const given = [...rest.matchAll(/--param (?:"([^"]*)"|(\S+))/g)].map(
    ([, quoted, bare]) => quoted ?? bare ?? "",
  )
  return { sql: readFileSync(join(examples, `${name}.sql`), "utf8"), given }
}

export const answerOf = async (
  connection: DuckDBConnection,
  { sql, given }: Query,
): Promise<string> => {
  const parameters = Object.fromEntries(given.map(parameterOf))
  const reader = await connection.runAndReadAll(
    sql,
    await bindParameters(connection, sql, parameters),
  )
  const names = reader.columnNames()
  const isNumber = reader
    .columnTypes()
    .map((type) => /^(DOUBLE|INTEGER|BIGINT|HUGEINT|DECIMAL)/.test(String(type)))
  const all = reader
    .getRowsJson()
    .map((row) => row.map((value, at) => shown(value, isNumber[at] === true)))
  const rows = all.slice(0, MAX_ROWS)
  const table = textTable(names, rows, {
    align: isNumber.map((is) => (is ? "right" : "left")),
    width: Infinity,
  })
  const isWide = table.split("\n").some((line) => line.length > MAX_WIDTH)
  const few = rows.slice(0, 3)
  const text = isWide
    ? textTable(
        ["column", ...few.map((_, at) => `row ${at + 1}`)],
        names.map((name, at) => [name, ...few.map((row) => row[at] ?? "")]),
        { width: Infinity },
      )
    : table
  const printed = isWide ? few.length : rows.length
  const more = all.length > printed ? `, the first ${printed} shown` : ""
  return `${text.replaceAll(/ +$/gm, "")}\n(${all.length} ${all.length === 1 ? "row" : "rows"}${more})`
}

/** Six digits, minutes, and no identifiers that differ between runs. */
const shown = (value: unknown, isNumber: boolean): string => {
  if (value === null) return "–"
  if (isNumber) return String(Number(Number(value).toPrecision(6)))
  return (typeof value === "string" ? value : JSON.stringify(value))
    .replace(/^(\d{4}-\d\d-\d\d \d\d:\d\d):\d\d(\.\d+)?$/, "$1")
    .replaceAll(/\b\d{8}T\d{9}Z-[0-9a-f]{6}\b/g, "<run>")
    .replaceAll(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "<response>")
    .replaceAll(/\b(0x[0-9a-f]{4})[0-9a-f]{36,}/g, "$1…")
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, "http://127.0.0.1:8080")
}

const parameterOf = (pair: string) => {
  const at = pair.indexOf("=")
  return [pair.slice(0, at), typedValue(pair.slice(at + 1))] as const
}

const listOfMarts = (): string =>
  [
    "",
    "| for | question | mart |",
    "| --- | --- | --- |",
    ...marts
      .map(({ name, needed_by: needed }) => {
        const [reader = "", what = ""] = needed.split(/: (.*)/s)
        return `| ${reader} | ${what} | [${name}](tables.md#mart${name}) |`
      })
      .toSorted(),
    "",
    "",
  ].join("\n")

const listOfQuestions = (): string =>
  [
    "",
    "| question | for | file |",
    "| --- | --- | --- |",
    ...readdirSync(examples).map((file) => {
      const header = readFileSync(join(examples, file), "utf8").split("\n--\n")[0] ?? ""
      const [title = "", reader = ""] = header.replaceAll(/^-- /gm, "").split(/\nFor /)
      const who = reader.replaceAll("\n", " ").replace(/\.$/, "")
      return `| ${title.replaceAll("\n", " ")} | ${who} | [${file.replace(/\.sql$/, "")}](../warehouse/examples/${file}) |`
    }),
    "",
    "",
  ].join("\n")
