// What DuckDB's parse of a text says: the tree of its one SELECT, or why it is none and what to write instead.

const READ_ONLY = "The published copy is read-only: a query is one SELECT."

const GENERAL =
  "WITH, FROM, VALUES, DESCRIBE, SUMMARIZE, SHOW ALL TABLES and EXPLAIN of a SELECT work too; nothing that writes, sets or calls does."

const KEEP =
  'To keep a result, save it: `vaulthouse query --format csv "…" > file.csv`. Only vaulthouse itself changes the warehouse.'
const OWN_DUCKDB =
  "To join it with other data, open the file published/vaulthouse.duckdb in DuckDB itself: ATTACH '…' (READ_ONLY)."
const PARAMETERS =
  'Write $name in the SELECT, and give it a value: `vaulthouse query --param name=… "…"`.'

/** By the first word. */
const ADVICE: Readonly<Record<string, string>> = {
  pragma:
    "Instead of PRAGMA, write DESCRIBE schema.table, SHOW ALL TABLES, or FROM duckdb_columns().",
  set: `Instead of SET VARIABLE: ${PARAMETERS}\nSettings of DuckDB stay as they are; queryMemoryLimit and queryDiskLimit are settings of vaulthouse.`,
  prepare: `Instead of PREPARE: ${PARAMETERS}`,
  execute: `Instead of EXECUTE: ${PARAMETERS}`,
  create:
    "Instead of a temporary table, view or macro, write WITH name AS (SELECT …) before the SELECT.",
  call: "Instead of CALL function(…), write SELECT * FROM function(…).",
  pivot: "PIVOT works if it names its columns: PIVOT … ON name IN ('a', 'b') USING ….",
  copy: KEEP,
  export: KEEP,
  insert: KEEP,
  update: KEEP,
  delete: KEEP,
  attach: OWN_DUCKDB,
  install: OWN_DUCKDB,
  load: OWN_DUCKDB,
  use: "Write the schema before each table, for example core.vaults.",
}

const insteadOf = (sql: string): string => {
  // It only chooses the advice, so a comment that hides the word does no harm.
  const [word = ""] = /\w+/.exec(sql.replaceAll(/--[^\n\r]*/g, "")) ?? []
  return `${READ_ONLY}\n${ADVICE[word.toLowerCase()] ?? GENERAL}`
}

interface Parsed {
  readonly error: boolean
  readonly error_type?: string
  readonly error_message?: string
  readonly statements?: ReadonlyArray<unknown>
}

export type ParsedSelect =
  | { readonly select: unknown }
  /** What is wrong and, from the second line on, what to write instead. */
  | { readonly why: string; readonly isSyntax?: boolean }

/** `parse`: what `json_serialize_sql` returned for `sql`. */
export const parsedSelect = (parse: string, sql: string): ParsedSelect => {
  let parsed: Parsed
  try {
    parsed = JSON.parse(parse) as Parsed
  } catch {
    // DuckDB writes an infinite number as such.
    return {
      why: "A number in the query is larger than a DOUBLE can be.\nWrite it as text with its type: '…'::HUGEINT.",
    }
  }
  const { error_message: why = "", statements = [] } = parsed
  if (parsed.error) {
    if (why.startsWith("Only SELECT")) return { why: insteadOf(sql) }
    return { why, isSyntax: parsed.error_type === "parser" }
  }
  if (statements.length > 1) {
    return {
      why: `There are ${statements.length} statements; run them one at a time.\nWITH name AS (SELECT …) gives a later SELECT the result of an earlier one.`,
    }
  }
  return statements.length === 0 ? { why: insteadOf(sql) } : { select: statements[0] }
}
