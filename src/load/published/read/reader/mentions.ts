// What a statement refers to, from DuckDB's own parse of it.
import type { DuckDBConnection } from "@duckdb/node-api"
import { parsedSelect } from "./parsedSelect.ts"

/** The statement must not run; the message says why. */
export class Refused extends Error {}

/** What a statement refers to, in lower case. */
export interface Mentions {
  readonly functions: ReadonlySet<string>
  readonly tableFunctions: ReadonlySet<string>
  readonly tables: ReadonlySet<string>
}

/** Goes through the whole tree, whatever its nodes are, so that no kind of node can hide a call. */
const mentionsIn = (tree: unknown): Mentions => {
  const functions = new Set<string>()
  const tableFunctions = new Set<string>()
  const tables = new Set<string>()
  const pending: Array<unknown> = [tree]
  while (pending.length > 0) {
    const node = pending.pop()
    if (typeof node !== "object" || node === null) continue
    if (Array.isArray(node)) {
      for (const each of node) pending.push(each)
      continue
    }
    const {
      type,
      function: called,
      function_name: name,
      table_name: table,
    } = node as Record<string, unknown>
    if (typeof name === "string") functions.add(name.toLowerCase())
    if (typeof table === "string") {
      if (type === "SHOW_REF") tableFunctions.add(shownBy(table))
      else tables.add(table.toLowerCase())
    }
    const rest = Object.entries(node)
    if (type === "TABLE_FUNCTION" && typeof called === "object" && called !== null) {
      const { function_name: tableFunction, ...inner } = called as Record<string, unknown>
      tableFunctions.add(String(tableFunction).toLowerCase())
      pending.push(inner)
      for (const [key, value] of rest) if (key !== "function") pending.push(value)
    } else for (const [, value] of rest) pending.push(value)
  }
  return { functions, tableFunctions, tables }
}

/** SHOW DATABASES is the table `"databases"`, quotes included, for `duckdb_databases()`; SHOW ALL TABLES has its own name. */
const shownBy = (table: string): string =>
  table === "__show_tables_expanded"
    ? "duckdb_tables"
    : `duckdb_${table.replaceAll('"', "").toLowerCase()}`

const parse = async (connection: DuckDBConnection, sql: string): Promise<unknown> => {
  const result = await connection.runAndReadAll(
    "SELECT system.main.json_serialize_sql($1::VARCHAR, skip_null := true, skip_empty := true, skip_default := true)",
    [sql],
  )
  const [[text] = []] = result.getRowsJson()
  const parsed = parsedSelect(String(text), sql)
  if ("select" in parsed) return parsed.select
  // DuckDB's own message shows the place of a syntax error.
  if (parsed.isSyntax === true) await connection.extractStatements(sql)
  throw new Refused(parsed.why)
}

/** Of one SELECT. Throws `Refused`, or DuckDB's error if it can't be parsed. */
export const mentionsOf = async (connection: DuckDBConnection, sql: string): Promise<Mentions> =>
  mentionsIn(await parse(connection, sql))
