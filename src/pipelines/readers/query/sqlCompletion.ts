// Completion of SQL: tables where one is expected, columns of the tables in the statement, keywords.
import { type QueryVocabulary, findTable, nameOf } from "./queryVocabulary.ts"

// No name is as long. In a longer text, the search for the last word would begin again at each character.
const MAX_WORD = 200

/** The words that can complete the statement, and the last, unfinished word that they begin with. */
export const completeSql = (
  vocabulary: QueryVocabulary,
  sql: string,
): [words: Array<string>, begun: string] => {
  const begun = /[\w.]*$/.exec(sql.slice(-MAX_WORD))?.[0] ?? ""
  return [startingWith(wordsFor(vocabulary, sql, begun), begun), begun]
}

const wordsFor = (
  vocabulary: QueryVocabulary,
  sql: string,
  begun: string,
): ReadonlyArray<string> => {
  const qualifier = /^(\w+)\.\w*$/.exec(begun)?.[1]
  const schemas = new Set(vocabulary.tables.map(({ schema }) => schema))
  const isTableExpected = /\b(from|join|describe|summarize)\s+[\w.]*$/i.test(sql)
  if (qualifier !== undefined && !schemas.has(qualifier)) {
    const table = findTable(vocabulary, aliases(sql).get(qualifier) ?? qualifier)
    return (table?.columns ?? []).map(({ name }) => `${qualifier}.${name}`)
  }
  if (isTableExpected || qualifier !== undefined) {
    return [...tableWords(vocabulary, begun), ...vocabulary.macros.map((name) => `${name}(`)]
  }
  // An empty beginning would match everything.
  if (begun === "") return []
  const named = [...aliases(sql).values()].flatMap((name) => findTable(vocabulary, name) ?? [])
  const columns = (named.length > 0 ? named : vocabulary.tables).flatMap((table) =>
    table.columns.map(({ name }) => name),
  )
  return [...columns, ...keywordsLike(vocabulary, begun), ...[...schemas].map((name) => `${name}.`)]
}

/** Schemas until a dot is typed, then the tables. */
export const tableWords = ({ tables }: QueryVocabulary, begun: string): ReadonlyArray<string> => {
  if (begun.includes(".")) return tables.map(nameOf)
  return [...new Set(tables.map(({ schema }) => `${schema}.`))]
}

/** Tables by their alias in the statement, or by their own name. */
const aliases = (sql: string): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  const notAnAlias =
    /^(where|join|on|using|group|order|limit|left|right|inner|cross|full|union|qualify)$/i
  for (const [, table = "", alias] of sql.matchAll(
    /\b(?:from|join)\s+(\w+\.\w+)(?:\s+(?:as\s+)?(\w+))?/gi,
  )) {
    const isAlias = alias !== undefined && !notAnAlias.test(alias)
    found.set(isAlias ? alias : table.slice(table.indexOf(".") + 1), table)
  }
  return found
}

/** Keywords in the case typed so far. */
const keywordsLike = ({ keywords }: QueryVocabulary, begun: string): ReadonlyArray<string> =>
  /[A-Z]/.test(begun) && begun === begun.toUpperCase()
    ? keywords.map((word) => word.toUpperCase())
    : keywords

export const startingWith = (words: ReadonlyArray<string>, begun: string): Array<string> =>
  [...new Set(words.filter((word) => word.startsWith(begun)))].toSorted()
