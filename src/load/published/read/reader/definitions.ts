// Which views and macros of a copy may be used, from their definitions in the file: another program may have written it.
import type { DuckDBConnection, Json } from "@duckdb/node-api"
import { identifier } from "../../../sql/sql.ts"
import { allowed, refusal, refusedNames } from "./callable.ts"
import { UNKNOWN, type Verdicts, wrongCallIn } from "./calls.ts"
import { type Mentions, mentionsOf } from "./mentions.ts"

/** Why names of a copy must not be used, if so, by lower-case names. */
export interface Definitions {
  readonly macros: Verdicts
  /** Of views, DuckDB's own too, and of tables with computed columns. */
  readonly tables: Verdicts
  /** What keeps every statement from running. */
  readonly all: Unusable | undefined
}

/** What a statement can't use, and why. */
export interface Unusable {
  readonly name: string
  readonly why: string
}

interface Named {
  readonly kind: "macros" | "tables"
  /** In lower case. */
  readonly name: string
}

interface Definition extends Named {
  readonly text: string
  /** What is parsed; `undefined` if the text is not understood. */
  readonly select: () => string | undefined
}

interface Wrong extends Named {
  readonly why: string
}

type Found = Readonly<Record<Named["kind"], Map<string, string | undefined>>>

/** DuckDB's own functions are called by their full names here: a file can have macros of the same names. */
export const definitionsOf = async (connection: DuckDBConnection): Promise<Definitions> => {
  const views = await rowsOf(
    connection,
    "SELECT view_name, schema_name, sql, database_name FROM system.main.duckdb_views()",
  )
  const own = [...(await macrosOf(connection)), ...viewsOf(views)]
  const found: Found = {
    macros: new Map(
      own.filter(({ kind }) => kind === "macros").map(({ name }) => [name, undefined]),
    ),
    tables: new Map(views.filter(isOfSystem).map(verdictOfSystemView)),
  }
  const wrong: Array<Wrong> = [...(await computedTables(connection))]
  for (const each of own) {
    const why = await wrongDefinition(connection, each, found)
    if (why !== undefined) wrong.push({ ...each, why })
  }
  if (wrong.length === 0) return { ...found, all: undefined }
  for (const { kind, name, why } of wrong) found[kind].set(name, why)
  wrong.push(...(await passedOn(connection, own, found)))
  return { ...found, all: await insteadOfDuckDB(connection, wrong) }
}

type Row = ReadonlyArray<Json>

const rowsOf = async (connection: DuckDBConnection, sql: string): Promise<ReadonlyArray<Row>> =>
  (await connection.runAndReadAll(sql)).getRowsJson()

const lower = (name: Json | undefined): string => String(name).toLowerCase()

const macrosOf = async (connection: DuckDBConnection): Promise<ReadonlyArray<Definition>> => {
  const rows = await rowsOf(
    connection,
    `SELECT function_name, function_type, macro_definition FROM system.main.duckdb_functions()
     WHERE database_name <> 'system' AND macro_definition IS NOT NULL`,
  )
  return rows.map(([name, type, body]) => {
    const text = String(body)
    const select = type === "table_macro" ? text : `SELECT (${text}\n)`
    return { kind: "macros", name: lower(name), text, select: () => select }
  })
}

const isOfSystem = (view: Row): boolean => view[3] === "system"

const viewsOf = (views: ReadonlyArray<Row>): ReadonlyArray<Definition> =>
  views
    .filter((view) => !isOfSystem(view))
    .map(([name, schema, sql]) => ({
      kind: "tables",
      name: lower(name),
      text: String(sql),
      select: () => selectOf(String(sql), String(schema), String(name)),
    }))

const verdictOfSystemView = ([view]: Row): readonly [string, string | undefined] => {
  const name = lower(view)
  return [name, allowed.view.has(name) ? undefined : (refusal(name) ?? UNKNOWN)]
}

const computedTables = async (connection: DuckDBConnection): Promise<ReadonlyArray<Wrong>> => {
  const rows = await rowsOf(
    connection,
    `SELECT table_name FROM system.main.duckdb_tables()
     WHERE system.main.contains(sql, 'GENERATED ALWAYS AS')`,
  )
  const why = "this file computes a column of it, which vaulthouse never does"
  return rows.map(([name]) => ({ kind: "tables", name: lower(name), why }))
}

const NOT_UNDERSTOOD = "its definition in this file is not understood"

/** What is wrong with a definition. Most call nothing but what is allowed, which their words show without a parse. */
const wrongDefinition = async (
  connection: DuckDBConnection,
  { text, select }: Definition,
  { macros, tables }: Found,
): Promise<string | undefined> => {
  const isKnown = (call: string): boolean => isPlain(call) && !macros.has(call)
  const isHarmless = (word: string): boolean =>
    !refusedNames.has(word) && tables.get(word) === undefined && !SHOWING.has(word)
  if (callsIn(text).every(isKnown) && wordsIn(text).every(isHarmless)) return undefined
  const sql = select()
  if (sql === undefined) return NOT_UNDERSTOOD
  const mentions = await mentionsOf(connection, sql)
  for (const name of mentions.tables) {
    const why = refusedNames.has(name) ? refusal(name) : tables.get(name)
    if (why !== undefined) return `its definition in this file uses ${name}: ${why}`
  }
  const wrong = wrongCallIn(mentions, macros)
  return wrong && `its definition in this file calls ${wrong.name}(): ${wrong.why}`
}

/** What is wrong with a definition is wrong with those that refer to it: those are added to `found`, and returned. */
const passedOn = async (
  connection: DuckDBConnection,
  own: ReadonlyArray<Definition>,
  found: Found,
): Promise<ReadonlyArray<Wrong>> => {
  const mentions = new Map<Definition, Mentions | undefined>()
  for (const each of own) {
    const sql = each.select()
    mentions.set(each, sql === undefined ? undefined : await mentionsOf(connection, sql))
  }
  const passed: Array<Wrong> = []
  for (let before = -1; before !== passed.length;) {
    before = passed.length
    for (const [{ kind, name }, mentioned] of mentions) {
      if (found[kind].get(name) !== undefined) continue
      const why = mentioned === undefined ? NOT_UNDERSTOOD : wrongNameIn(mentioned, found)
      if (why === undefined) continue
      found[kind].set(name, why)
      passed.push({ kind, name, why })
    }
  }
  return passed
}

const wrongNameIn = (
  { functions, tableFunctions, tables }: Mentions,
  found: Found,
): string | undefined => {
  const used = [
    ...[...functions, ...tableFunctions].map((name) => [name, found.macros.get(name)] as const),
    ...[...tables].map((name) => [name, found.tables.get(name)] as const),
  ]
  const [name, why] = used.find(([, each]) => each !== undefined) ?? []
  return why && `its definition in this file uses ${name}: ${why}`
}

/**
 * DuckDB looks up what its own views and macros use, and what a SHOW, a SUMMARIZE or a field of a struct stands for, by
 * name, in the file first. No parse shows those names, so nothing can be used beside a wrong definition of one.
 */
const insteadOfDuckDB = async (
  connection: DuckDBConnection,
  wrong: ReadonlyArray<Wrong>,
): Promise<Unusable | undefined> => {
  const rows = await rowsOf(
    connection,
    `SELECT function_name FROM system.main.duckdb_functions() WHERE database_name = 'system'
     UNION ALL SELECT view_name FROM system.main.duckdb_views() WHERE database_name = 'system'`,
  )
  const names = new Set(rows.map(([name]) => lower(name)))
  const instead = wrong.find(({ name }) => names.has(name))
  if (instead === undefined) return undefined
  return {
    name: `${instead.name}, which this file has in the place of DuckDB's`,
    why: instead.why,
  }
}

/** Whether a word before a parenthesis is harmless wherever it stands. */
const isPlain = (call: string): boolean =>
  BEFORE_PARENTHESES.has(call) ||
  (refusal(call, "from") === undefined &&
    (allowed.scalar.has(call) || allowed.aggregate.has(call) || allowed.table.has(call)))

const wordsIn = (text: string): ReadonlyArray<string> => text.toLowerCase().split(/[^\w$]+/)

/** Every word before an opening parenthesis. */
const callsIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/([\w$]+)"?\s*\(/g)].map(([, name = ""]) => name.toLowerCase())

/** They can stand for a function whose name is not written: `DESCRIBE "databases"`. */
const SHOWING: ReadonlySet<string> = new Set(["describe", "show", "summarize"])

/** Words of SQL, and types, that stand there without being a call. Any other word costs a parse. */
const BEFORE_PARENTHESES: ReadonlySet<string> = new Set(
  "all and any as asc between by case cast decimal desc distinct else except exclude exists filter from group having if in interval into is join lateral like limit materialized not on or order over partition qualify replace select struct then try_cast cast union using values when where with within coalesce".split(
    " ",
  ),
)

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
