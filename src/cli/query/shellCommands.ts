// What the shell answers itself: lines that begin with a dot.
import { didYouMean } from "../../config/nearest.ts"
import { textTable } from "../table.ts"
import { paragraph } from "../terminal.ts"
import { type Catalog, findTable, nameOf } from "./catalog.ts"
import { shellCommands } from "./completion.ts"

const HELP = `Ask in SQL (DuckDB's dialect), on as many lines as you like, and end with a semicolon.

  .tables [WORD]   tables and what they hold; only those with WORD in their name
  .schema NAME     columns of a table: type and meaning
  .help            this
  .quit            ends the shell, as Ctrl-D does

Tab completes tables, columns and keywords. Ctrl-C stops a question. What was known at an instant:
select * from mart.ratio_history_as_of(timestamp '2026-03-01 12:00:00');
`

export const runShellCommand = (catalog: Catalog, line: string): string => {
  const [command = "", argument] = line.replace(/;$/, "").trim().split(/\s+/)
  switch (command) {
    case ".help":
      return HELP
    case ".tables":
      return tablesText(catalog, argument ?? "")
    case ".schema":
      return schemaText(catalog, argument)
    default:
      return `There is no ${command}${didYouMean(command, shellCommands) || "; .help shows what there is"}\n`
  }
}

const tablesText = (catalog: Catalog, word: string): string => {
  const found = catalog.tables.filter((table) => nameOf(table).includes(word))
  if (found.length === 0) return `No table has \`${word}\` in its name.\n`
  const rows = found.map((table) => [nameOf(table), firstSentence(table.comment)])
  return `${textTable(["table", "what it holds"], rows)}\n`
}

const schemaText = (catalog: Catalog, asked: string | undefined): string => {
  if (asked === undefined) return "Which table? For example: .schema mart.vault_daily\n"
  const table = findTable(catalog, asked)
  if (table === undefined) {
    const names = catalog.tables.flatMap((each) => [nameOf(each), each.name])
    return `There is no table \`${asked}\`${didYouMean(asked, names) || "; .tables lists them"}\n`
  }
  const rows = table.columns.map(({ name, type, comment }) => [name, type.toLowerCase(), comment])
  return `${paragraph(`${nameOf(table)}: ${table.comment}`)}\n\n${textTable(["column", "type", "meaning"], rows)}\n`
}

const firstSentence = (text: string): string => /^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text
