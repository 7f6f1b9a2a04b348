// EXPLAIN, which DuckDB does not parse for others: its words are split off from the SELECT that it is about.

// Each text is matched in one way only: otherwise a long one could take for ever.
const comment = String.raw`(?:\s|--[^\n\r]*(?:[\n\r]|$)|/\*(?:[^*]|\*(?!/))*\*/)`
const explain = new RegExp(
  String.raw`^${comment}*explain\b(?:${comment}+(analyze)\b)?(?:${comment}*(\(\s*(?:analyze|format)\b[\w\s,]*\)))?`,
  "i",
)

/** An EXPLAIN's own words, and the SELECT after them. */
export const explained = (
  sql: string,
): { readonly words: string; readonly select: string } | undefined => {
  const [prefix, analyze = "", options = ""] = explain.exec(sql) ?? []
  if (prefix === undefined) return undefined
  return { words: `EXPLAIN ${analyze} ${options}\n`, select: sql.slice(prefix.length) }
}
