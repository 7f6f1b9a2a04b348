// Commands of the shell itself: lines that begin with a dot.
import { didYouMean } from "../../../config/read/nearest.ts"
import { textTable } from "../../terminal/table.ts"
import { paragraph } from "../../terminal/terminal.ts"
import {
  type QueryVocabulary,
  findTable,
  nameOf,
} from "../../../pipelines/readers/query/queryVocabulary.ts"
import { shellCommands } from "./completion.ts"

const HELP = `Type SQL (DuckDB's dialect) on as many lines as you like, and end with a semicolon.

  .tables [WORD]   list the tables, or those with WORD in their name
  .schema NAME     the columns of a table: type and meaning
  .help            show this help
  .quit            leave the shell, like Ctrl-D

Tab completes tables, columns and keywords. Ctrl-C stops a query. A table as it was at an instant:
select * from mart.ratio_history_as_of(timestamp '2026-03-01 12:00:00');
`

export const runShellCommand = (vocabulary: QueryVocabulary, line: string): string => {
  const [command = "", argument] = line.replace(/;$/, "").trim().split(/\s+/)
  switch (command) {
    case ".help":
      return HELP
    case ".tables":
      return tablesText(vocabulary, argument ?? "")
    case ".schema":
      return schemaText(vocabulary, argument)
    default:
      return `There is no ${command}${didYouMean(command, shellCommands) || "; .help lists the commands"}\n`
  }
}

const tablesText = (vocabulary: QueryVocabulary, word: string): string => {
  const found = vocabulary.tables.filter((table) => nameOf(table).includes(word))
  if (found.length === 0) return `No table has \`${word}\` in its name.\n`
  const rows = found.map((table) => [nameOf(table), firstSentence(table.comment)])
  return `${textTable(["table", "contents"], rows)}\n`
}

const schemaText = (vocabulary: QueryVocabulary, wanted: string | undefined): string => {
  if (wanted === undefined) return "Name a table, for example: .schema mart.vault_daily\n"
  const table = findTable(vocabulary, wanted)
  if (table === undefined) {
    const names = vocabulary.tables.flatMap((each) => [nameOf(each), each.name])
    return `There is no table \`${wanted}\`${didYouMean(wanted, names) || "; .tables lists them"}\n`
  }
  const rows = table.columns.map(({ name, type, comment }) => [name, type.toLowerCase(), comment])
  return `${paragraph(`${nameOf(table)}: ${table.comment}`)}\n\n${textTable(["column", "type", "meaning"], rows)}\n`
}

const firstSentence = (text: string): string => /^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text
