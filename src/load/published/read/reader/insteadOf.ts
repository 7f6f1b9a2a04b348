// What to write instead of a statement that is no SELECT.

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

export const insteadOf = (sql: string): string => {
  // It only chooses the advice, so a comment that hides the word does no harm.
  const [word = ""] = /\w+/.exec(sql.replaceAll(/--[^\n\r]*/g, "")) ?? []
  return `${READ_ONLY}\n${ADVICE[word.toLowerCase()] ?? GENERAL}`
}
