// Decides from DuckDB's own parse whether a statement may run: one SELECT, or its EXPLAIN, that calls nothing but what
// `callable.ts` allows, and refers to no view or macro that calls anything else.
import type { DuckDBConnection } from "@duckdb/node-api"
import { identifier } from "../../../sql/sql.ts"
import { allowed, refusal, refusedNames } from "./callable.ts"
import { insteadOf } from "./insteadOf.ts"

/** The statement must not run; the message says why. */
export class Refused extends Error {}

/** What a statement refers to, in lower case. */
export interface Mentions {
  readonly functions: ReadonlySet<string>
  readonly tableFunctions: ReadonlySet<string>
  readonly tables: ReadonlySet<string>
}

/** Goes through the whole tree, whatever its nodes are, so that no kind of node can hide a call. */
export const mentionsIn = (tree: unknown): Mentions => {
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
    if (typeof table === "string") tables.add(table.toLowerCase())
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

const rowsOf = async (
  connection: DuckDBConnection,
  sql: string,
  ...values: ReadonlyArray<string>
): Promise<ReadonlyArray<ReadonlyArray<unknown>>> =>
  (await connection.runAndReadAll(sql, [...values])).getRowsJson()

interface Parsed {
  readonly error: boolean
  readonly error_type?: string
  readonly error_message?: string
  readonly statements?: ReadonlyArray<unknown>
}

const treeIn = (text: string): Parsed => {
  try {
    return JSON.parse(text) as Parsed
  } catch {
    // DuckDB writes an infinite number as such.
    throw new Refused(
      "A number in the query is larger than a DOUBLE can be.\nWrite it as text with its type: '…'::HUGEINT.",
    )
  }
}

const parse = async (connection: DuckDBConnection, sql: string): Promise<unknown> => {
  const [[text] = []] = await rowsOf(
    connection,
    "SELECT json_serialize_sql($1::VARCHAR, skip_null := true, skip_empty := true, skip_default := true)",
    sql,
  )
  const parsed = treeIn(String(text))
  if (parsed.error) {
    // DuckDB's own message shows the place of a syntax error.
    if (parsed.error_type === "parser") await connection.extractStatements(sql)
    const { error_message: why = "" } = parsed
    throw new Refused(why.startsWith("Only SELECT") ? insteadOf(sql) : why)
  }
  const { statements = [] } = parsed
  if (statements.length > 1) {
    throw new Refused(
      `There are ${statements.length} statements; run them one at a time.\nWITH name AS (SELECT …) gives a later SELECT the result of an earlier one.`,
    )
  }
  if (statements.length === 0) throw new Refused(insteadOf(sql))
  return statements[0]
}

// Each text is matched in one way only: otherwise a long one could take for ever.
const comment = String.raw`(?:\s|--[^\n\r]*(?:[\n\r]|$)|/\*(?:[^*]|\*(?!/))*\*/)`
const explain = new RegExp(
  String.raw`^${comment}*explain\b(?:${comment}+(analyze)\b)?(?:${comment}*(\(\s*(?:analyze|format)\b[\w\s,]*\)))?`,
  "i",
)

/** An EXPLAIN's own words, and the SELECT after them. */
const explained = (
  sql: string,
): { readonly words: string; readonly select: string } | undefined => {
  const [prefix, analyze = "", options = ""] = explain.exec(sql) ?? []
  if (prefix === undefined) return undefined
  return { words: `EXPLAIN ${analyze} ${options}`, select: sql.slice(prefix.length) }
}

/** Why a name must not be used, if so; for the views and macros of the copy, by lower-case names. */
type Verdicts = ReadonlyMap<string, string | undefined>

/** What `read` resolves with, read once; read again if it failed, for example because the statement was stopped. */
const once = <A>(read: () => Promise<A>): (() => Promise<A>) => {
  let reading: Promise<A> | undefined
  return () =>
    (reading ??= read().catch((cause: unknown) => {
      reading = undefined
      throw cause
    }))
}

/** Decides about statements on one copy, which never changes. */
export class Guard {
  readonly #connection: DuckDBConnection
  readonly #macros: () => Promise<Verdicts>
  readonly #views: () => Promise<Verdicts>

  constructor(connection: DuckDBConnection) {
    this.#connection = connection
    this.#macros = once(() => this.#readMacros())
    this.#views = once(() => this.#readViews())
  }

  /**
   * The statement to run. Throws `Refused`, or DuckDB's error if it can't be parsed.
   *
   * DuckDB parses only a SELECT for others, so the words of an EXPLAIN are split off here. What runs is put together
   * from them and the SELECT that was checked: DuckDB may see the borders of comments elsewhere.
   */
  async check(sql: string): Promise<string> {
    const found = explained(sql)
    const select = found?.select ?? sql
    const mentions = await this.#mentionsIn(select)
    const wrong = (await this.#wrongCall(mentions)) ?? (await this.#wrongTable(mentions.tables))
    if (wrong !== undefined) throw new Refused(`A query can't use ${wrong}.`)
    return found === undefined ? sql : `${found.words}\n${select}`
  }

  async #mentionsIn(sql: string): Promise<Mentions> {
    return mentionsIn(await parse(this.#connection, sql))
  }

  async #wrongCall(mentions: Mentions): Promise<string | undefined> {
    const calls = callsOf(mentions)
    if (calls.length === 0) return undefined
    // Macros can refer to each other only in the order in which they were made, so there is no circle.
    const macros = await this.#macros()
    for (const { name, kind, isAllowed } of calls) {
      const why = wrongCall(name, kind, isAllowed, macros)
      if (why !== undefined) return `${name}(): ${why}`
    }
    return undefined
  }

  async #wrongTable(tables: Mentions["tables"]): Promise<string | undefined> {
    if (tables.size === 0) return undefined
    const views = await this.#views()
    const wrong = [...tables].find((name) => views.get(name) !== undefined)
    return wrong === undefined ? undefined : `${wrong}: ${views.get(wrong)}`
  }

  async #readMacros(): Promise<Verdicts> {
    const found = await rowsOf(
      this.#connection,
      `SELECT function_name, function_type, macro_definition FROM duckdb_functions()
       WHERE NOT internal AND macro_definition IS NOT NULL`,
    )
    const own: Verdicts = new Map(found.map(([name]) => [String(name).toLowerCase(), undefined]))
    const verdicts = new Map<string, string | undefined>()
    for (const [name, type, body] of found) {
      const text = String(body)
      const select = type === "table_macro" ? text : `SELECT (${text}\n)`
      const why = await this.#wrongDefinition(text, () => select, own)
      const key = String(name).toLowerCase()
      verdicts.set(key, verdicts.get(key) ?? why)
    }
    return passedOn(verdicts, found)
  }

  async #readViews(): Promise<Verdicts> {
    const macros = await this.#macros()
    const found = await rowsOf(
      this.#connection,
      "SELECT view_name, schema_name, sql, internal FROM duckdb_views()",
    )
    const verdicts = new Map<string, string | undefined>()
    for (const [name, schema, sql, isInternal] of found) {
      const key = String(name).toLowerCase()
      const why =
        isInternal === true
          ? allowed.view.has(key)
            ? undefined
            : (refusal(key) ?? UNKNOWN)
          : await this.#wrongDefinition(
              String(sql),
              () => selectOf(String(sql), String(schema), String(name)),
              macros,
            )
      verdicts.set(key, verdicts.get(key) ?? why)
    }
    const computed = await rowsOf(
      this.#connection,
      "SELECT lower(table_name) FROM duckdb_tables() WHERE sql LIKE '%GENERATED ALWAYS AS%'",
    )
    for (const [name] of computed) {
      verdicts.set(String(name), "this file computes a column of it, which vaulthouse never does")
    }
    return passedOn(verdicts, found)
  }

  /** What is wrong with a definition. Most call nothing but what is allowed, which their words show without a parse. */
  async #wrongDefinition(
    text: string,
    select: () => string | undefined,
    macros: Verdicts,
  ): Promise<string | undefined> {
    const isKnown = (call: string): boolean => isPlain(call) && !macros.has(call)
    if (callsIn(text).every(isKnown) && !wordsIn(text).some(isRefusedName)) return undefined
    const sql = select()
    if (sql === undefined) return "its definition in this file is not understood"
    const mentions = await this.#mentionsIn(sql)
    const view = [...mentions.tables].find(isRefusedName)
    if (view !== undefined) return `its definition in this file uses ${view}: ${refusal(view)}`
    for (const { name, kind, isAllowed } of callsOf(mentions)) {
      const why = wrongCall(name, kind, isAllowed, macros)
      if (why !== undefined) return `its definition in this file calls ${name}(): ${why}`
    }
    return undefined
  }
}

const callsOf = ({ functions, tableFunctions }: Mentions) => [
  ...[...functions].map((name) => ({
    name,
    kind: "call" as const,
    isAllowed: allowed.scalar.has(name) || allowed.aggregate.has(name),
  })),
  ...[...tableFunctions].map((name) => ({
    name,
    kind: "from" as const,
    isAllowed: allowed.table.has(name),
  })),
]

/** A macro of the file may have the name of a function, and is what is called then. */
const wrongCall = (
  name: string,
  kind: "call" | "from",
  isAllowed: boolean,
  macros: Verdicts,
): string | undefined => {
  if (macros.has(name)) return refusal(name, kind) ?? macros.get(name)
  return isAllowed ? undefined : (refusal(name, kind) ?? UNKNOWN)
}

const isRefusedName = (name: string): boolean => refusedNames.has(name)

/** Whether a word before a parenthesis is harmless wherever it stands. */
const isPlain = (call: string): boolean =>
  BEFORE_PARENTHESES.has(call) ||
  (refusal(call, "from") === undefined &&
    (allowed.scalar.has(call) || allowed.aggregate.has(call) || allowed.table.has(call)))

const wordsIn = (text: string): ReadonlyArray<string> => text.toLowerCase().split(/[^\w$]+/)

const UNKNOWN = "it is not known to be harmless"

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
  found: ReadonlyArray<ReadonlyArray<unknown>>,
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
