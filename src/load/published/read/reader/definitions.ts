// Which views and macros of a copy may be used, from their definitions in the file: another program may have written it.
import type { DuckDBConnection, Json } from "@duckdb/node-api"
import { identifier } from "../../../sql/sql.ts"
import { allowed, refusal, refusedNames } from "./callable.ts"
import { UNKNOWN, type Verdicts, wrongCallIn } from "./calls.ts"
import { mentionsOf } from "./mentions.ts"

type Row = ReadonlyArray<Json>

const rowsOf = async (connection: DuckDBConnection, sql: string): Promise<ReadonlyArray<Row>> =>
  (await connection.runAndReadAll(sql)).getRowsJson()

/** Macros can refer to each other only in the order in which they were made, so there is no circle. */
export const macroVerdicts = async (connection: DuckDBConnection): Promise<Verdicts> => {
  const found = await rowsOf(
    connection,
    `SELECT function_name, function_type, macro_definition FROM duckdb_functions()
     WHERE NOT internal AND macro_definition IS NOT NULL`,
  )
  const own: Verdicts = new Map(found.map(([name]) => [String(name).toLowerCase(), undefined]))
  const verdicts = new Map<string, string | undefined>()
  for (const [name, type, body] of found) {
    const text = String(body)
    const select = type === "table_macro" ? text : `SELECT (${text}\n)`
    const why = await wrongDefinition(connection, text, () => select, own)
    const key = String(name).toLowerCase()
    verdicts.set(key, verdicts.get(key) ?? why)
  }
  return passedOn(verdicts, found)
}

/** Of DuckDB's own views too, and of tables with computed columns. */
export const viewVerdicts = async (
  connection: DuckDBConnection,
  macros: Verdicts,
): Promise<Verdicts> => {
  const found = await rowsOf(
    connection,
    "SELECT view_name, schema_name, sql, internal FROM duckdb_views()",
  )
  const verdicts = new Map<string, string | undefined>()
  for (const view of found) {
    const key = String(view[0]).toLowerCase()
    const why = await wrongView(connection, view, macros)
    verdicts.set(key, verdicts.get(key) ?? why)
  }
  const computed = await rowsOf(
    connection,
    "SELECT lower(table_name) FROM duckdb_tables() WHERE sql LIKE '%GENERATED ALWAYS AS%'",
  )
  for (const [name] of computed) {
    verdicts.set(String(name), "this file computes a column of it, which vaulthouse never does")
  }
  return passedOn(verdicts, found)
}

const wrongView = async (
  connection: DuckDBConnection,
  [name, schema, sql, isInternal]: Row,
  macros: Verdicts,
): Promise<string | undefined> => {
  if (isInternal === true) {
    const key = String(name).toLowerCase()
    return allowed.view.has(key) ? undefined : (refusal(key) ?? UNKNOWN)
  }
  const select = () => selectOf(String(sql), String(schema), String(name))
  return wrongDefinition(connection, String(sql), select, macros)
}

/** What is wrong with a definition. Most call nothing but what is allowed, which their words show without a parse. */
const wrongDefinition = async (
  connection: DuckDBConnection,
  text: string,
  select: () => string | undefined,
  macros: Verdicts,
): Promise<string | undefined> => {
  const isKnown = (call: string): boolean => isPlain(call) && !macros.has(call)
  if (callsIn(text).every(isKnown) && !wordsIn(text).some(isRefusedName)) return undefined
  const sql = select()
  if (sql === undefined) return "its definition in this file is not understood"
  const mentions = await mentionsOf(connection, sql)
  const view = [...mentions.tables].find(isRefusedName)
  if (view !== undefined) return `its definition in this file uses ${view}: ${refusal(view)}`
  const wrong = wrongCallIn(mentions, macros)
  return wrong && `its definition in this file calls ${wrong.name}(): ${wrong.why}`
}

const isRefusedName = (name: string): boolean => refusedNames.has(name)

/** Whether a word before a parenthesis is harmless wherever it stands. */
const isPlain = (call: string): boolean =>
  BEFORE_PARENTHESES.has(call) ||
  (refusal(call, "from") === undefined &&
    (allowed.scalar.has(call) || allowed.aggregate.has(call) || allowed.table.has(call)))

const wordsIn = (text: string): ReadonlyArray<string> => text.toLowerCase().split(/[^\w$]+/)

/** Every word before an opening parenthesis. */
const callsIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/([\w$]+)"?\s*\(/g)].map(([, name = ""]) => name.toLowerCase())

/** Words of SQL, and types, that stand there without being a call. Any other word costs a parse. */
const BEFORE_PARENTHESES: ReadonlySet<string> = new Set(
  "all and any as asc between by case cast decimal desc distinct else except exclude exists filter from group having if in interval into is join lateral like limit materialized not on or order over partition qualify replace select struct then try_cast cast union using values when where with within coalesce".split(
    " ",
  ),
)

/** What is wrong with a definition is wrong with those that refer to it. */
const passedOn = (
  verdicts: ReadonlyMap<string, string | undefined>,
  found: ReadonlyArray<Row>,
): Verdicts => {
  const all = new Map(verdicts)
  for (let before = -1; before !== wrongIn(all);) {
    before = wrongIn(all)
    for (const row of found.filter(([, , , isInternal]) => isInternal !== true)) {
      const key = String(row[0]).toLowerCase()
      if (all.get(key) !== undefined) continue
      const words = new Set(wordsIn(String(row[2])))
      const wrong = [...all].find(([name, why]) => why !== undefined && words.has(name))
      if (wrong !== undefined)
        all.set(key, `its definition in this file uses ${wrong[0]}: ${wrong[1]}`)
    }
  }
  return all
}

const wrongIn = (verdicts: Verdicts): number =>
  [...verdicts.values()].filter((why) => why !== undefined).length

/** The SELECT of a view: what follows its name, which may contain anything if it is quoted. */
const selectOf = (sql: string, schema: string, name: string): string | undefined => {
  const names = [schema, identifier(schema)].flatMap((first) =>
    [name, identifier(name)].flatMap((last) => [`${first}.${last}`, last]),
  )
  const columns = String.raw`(?: ?\((?:[^"()]|"(?:[^"]|"")*"(?!"))*\))?`
  for (const each of names) {
    const start = `CREATE VIEW ${each}`
    if (!sql.startsWith(start)) continue
    const [, select] = new RegExp(`^${columns} AS ([^]*)$`).exec(sql.slice(start.length)) ?? []
    if (select !== undefined) return select
  }
  return undefined
}
