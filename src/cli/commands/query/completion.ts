// Completions for Tab: SQL, and the commands of the shell.
import type { QueryVocabulary } from "../../../pipelines/readers/query/queryVocabulary.ts"
import {
  completeSql,
  startingWith,
  tableWords,
} from "../../../pipelines/readers/query/sqlCompletion.ts"

export const shellCommands: ReadonlyArray<string> = [".help", ".tables", ".schema", ".quit"]

/**
 * The words that can complete the line, and the part of the line they begin with. `before` holds the
 * statement's earlier lines.
 */
export const complete = (
  vocabulary: QueryVocabulary,
  before: string,
  line: string,
): [words: Array<string>, prefix: string] => {
  if (before === "" && line.startsWith(".")) return completeCommand(vocabulary, line)
  return completeSql(vocabulary, `${before}${line}`)
}

const completeCommand = (vocabulary: QueryVocabulary, line: string): [Array<string>, string] => {
  const table = /^\.schema\s+([\w.]*)$/.exec(line)?.[1]
  return table === undefined
    ? [startingWith(shellCommands, line), line]
    : [startingWith(tableWords(vocabulary, table), table), table]
}
