// Queries over what was known at an instant: each table of core and each mart that a query names becomes a step of a WITH
// before it, made of what was known then. It stays one statement, which the reader's guard checks like any other.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { sqlParts } from "../../domain/values/sqlParts.ts"
import { identifier } from "../../domain/values/sqlText.ts"
import { formatInstant, MICROS_PER_MILLI } from "../../domain/values/time.ts"
import { martQueries } from "../../pipelines/readers/martQueries.ts"
import {
  explained,
  type PublishedCopy,
  ReadError,
  type Reader,
  sqlFile,
} from "../../pipelines/readers/published.ts"
import { type Incomplete, incompleteTables } from "../../pipelines/readers/storedColumns.ts"
import { type Renamed, type Replacements, renamed } from "./renamed.ts"

/** The steps by the names of what they stand for, and whether their own tables are replaced too. */
interface Step {
  readonly sql: string
  readonly isMart: boolean
}

/** A mart with parameters. */
interface Macro {
  readonly parameters: ReadonlyArray<string>
  readonly definition: string
}

export interface AsOf {
  /** The query over what was known at the instant. `parser` parses it as a text; it runs nothing of it. */
  readonly rewritten: (parser: PublishedCopy, sql: string) => Effect.Effect<string, ReadError>
}

const coreStep = (name: string, past: string, at: string): string | undefined => {
  const table = `core.${name}`
  switch (past) {
    case "history":
      return `SELECT * FROM mart.${name}_as_of(${at})`
    case "versions":
      return `SELECT * FROM ${table} WHERE _superseded_at <= ${at}`
    case "intervals":
      // Its end was not known before it came.
      return `SELECT * REPLACE (
        CASE WHEN valid_to <= ${at} THEN valid_to END AS valid_to,
        (valid_to IS NULL OR valid_to > ${at}) AS is_current
      ) FROM ${table} WHERE valid_from <= ${at}`
    default:
      return undefined
  }
}

const stepsAt = (
  past: ReadonlyArray<Readonly<Record<string, unknown>>>,
  incomplete: ReadonlyArray<Incomplete>,
  at: string,
  clock: string,
): ReadonlyMap<string, Step> => {
  const steps = new Map<string, Step>()
  const put = (name: string, sql: string, isMart = false) => steps.set(name, { sql, isMart })
  for (const { name, past: how } of past) {
    const sql = coreStep(String(name), String(how), at)
    if (sql !== undefined) put(`core.${String(name)}`, sql)
  }
  put("ops.runs", `SELECT * FROM ops.runs WHERE started_at < ${at}`)
  put("ops.tasks", `SELECT * FROM ops.tasks WHERE finished_at <= ${at}`)
  // The marts are those of this version, which read what it has added.
  for (const { name, isThere, lacked } of incomplete) {
    const rows = steps.get(name)?.sql ?? `SELECT * FROM ${name}`
    const added = lacked.join(", ")
    put(name, isThere ? `SELECT *, ${added} FROM (${rows})` : `SELECT ${added} WHERE false`)
  }
  for (const [name, sql] of Object.entries(martQueries())) put(`mart.${name}`, sql, true)
  put("mart.clock", `SELECT ${clock} AS now_at`)
  put("meta.freshness", "SELECT * FROM mart.pipeline_freshness", true)
  put("meta.runs", "SELECT * FROM ops.runs", true)
  return steps
}

/** How to query what was known at instants. */
export interface Past {
  /**
   * What was known at an instant, in microseconds since 1970; fails where nothing was. Marts count ages up to `clock`,
   * the instant itself if absent.
   */
  readonly at: (micros: number, clock?: number) => Effect.Effect<AsOf, ReadError>
  /** The present, or when anything was stored last: after a clock was set back, that is later. */
  readonly newest: number
}

const timestamp = (micros: number): string => `make_timestamp(${micros})`

export const readPast = Effect.fnUntraced(function* (
  copy: PublishedCopy,
): Effect.fn.Return<Past, ReadError> {
  const past = yield* copy.rows(sqlFile("query", "past"))
  const incomplete = yield* incompleteTables(copy)
  const first = past[0]?.["first_run_at"]
  const storedAt = Number(past[0]?.["newest_at"] ?? 0)
  const macros = new Map(
    (yield* copy.rows(sqlFile("query", "parametrised_marts"))).map(
      ({ name, parameters, definition }) => [
        String(name),
        { parameters: String(parameters).split(","), definition: String(definition) },
      ],
    ),
  )
  const newest = Math.max((yield* Clock.currentTimeMillis) * MICROS_PER_MILLI, storedAt)
  const at = Effect.fnUntraced(function* (micros: number, clock = micros) {
    const instant = formatInstant(micros)
    if (micros > newest) {
      return yield* new ReadError({
        why: `${instant} is in the future: nobody knows what will be known then.`,
        advice: "Instants without an offset are UTC.",
      })
    }
    if (typeof first === "string" && Date.parse(first) * MICROS_PER_MILLI > micros) {
      return yield* new ReadError({
        why: `Nothing was known at ${instant}: the first run began at ${first}.`,
        advice: "Choose an instant since then.",
      })
    }
    return asOf(stepsAt(past, incomplete, timestamp(micros), timestamp(clock)), macros)
  })
  return { at, newest }
})

/** What was known at an instant, in microseconds since 1970; fails where nothing was. */
export const readAsOf = (copy: PublishedCopy, micros: number): Effect.Effect<AsOf, ReadError> =>
  Effect.flatMap(readPast(copy), ({ at }) => at(micros))

// The pages have fewer and shorter ones; anyone can write others.
const MAX_KEPT = 50
const MAX_KEPT_LENGTH = 200_000

const asOf = (steps: ReadonlyMap<string, Step>, macros: ReadonlyMap<string, Macro>): AsOf => {
  const replacements: Replacements = {
    isTable: (table) => steps.has(table),
    isMacro: (macro) => macros.has(macro),
  }
  const bodies = new Map<string, Renamed>()
  /** The one that was used last comes last. */
  const done = new Map<string, string>()

  /** Puts the tables into `order`, each after those that it reads. */
  const add = (
    parser: PublishedCopy,
    order: Map<string, string>,
    tables: ReadonlySet<string>,
  ): Effect.Effect<void, ReadError> =>
    Effect.forEach(
      tables,
      Effect.fnUntraced(function* (table) {
        const step = steps.get(table)
        if (step === undefined || order.has(table)) return
        const body =
          bodies.get(table) ??
          (step.isMart
            ? yield* renamed(parser, step.sql, replacements)
            : { sql: step.sql, tables: new Set(), calls: new Map() })
        bodies.set(table, body)
        yield* add(parser, order, body.tables)
        order.set(table, body.sql)
      }),
      { discard: true },
    )

  /** Puts what a query reads into `order`, and what the arguments of its calls read before these. */
  const addAll = (
    parser: PublishedCopy,
    order: Map<string, string>,
    { tables, calls }: Renamed,
  ): Effect.Effect<void, ReadError> =>
    Effect.gen(function* () {
      yield* add(parser, order, tables)
      for (const [name, { macro, values }] of calls) {
        const { parameters, definition } = macros.get(macro) ?? { parameters: [], definition: "" }
        if (values.length !== parameters.length || values.some(isNamed)) {
          return yield* new ReadError({
            why: `${macro} needs its ${parameters.length} parameters in order: ${parameters.join(", ")}.`,
            advice: "",
          })
        }
        const given = yield* Effect.forEach(values, (value) =>
          Effect.gen(function* () {
            const argument = yield* renamed(parser, `${SELECT}${value}`, replacements)
            yield* addAll(parser, order, argument)
            return argument.sql.slice(SELECT.length)
          }),
        )
        const body = yield* renamed(parser, definition, {
          ...replacements,
          parameters: new Map(parameters.map((parameter, at) => [parameter, given[at] ?? "null"])),
        })
        yield* add(parser, order, body.tables)
        order.set(name, body.sql)
      }
    })

  const make = Effect.fnUntraced(function* (parser: PublishedCopy, sql: string) {
    const { words = "", select = sql } = explained(sql) ?? {}
    const query = yield* renamed(parser, select, replacements)
    const order = new Map<string, string>()
    yield* addAll(parser, order, query)
    return `${words}${withSteps(query.sql, order)}`
  })

  const rewritten = Effect.fnUntraced(function* (parser: PublishedCopy, sql: string) {
    const text = done.get(sql) ?? (yield* make(parser, sql))
    done.delete(sql)
    if (text.length <= MAX_KEPT_LENGTH) done.set(sql, text)
    const [oldest] = done.keys()
    if (oldest !== undefined && done.size > MAX_KEPT) done.delete(oldest)
    return text
  })
  return { rewritten }
}

/** Before an argument, so that it can be parsed. */
const SELECT = "SELECT "

/** `name := value` */
const isNamed = (value: string): boolean => /^\w+\s*(?::=|=>)/.test(value)

/** How long the comments and spaces before the query are. */
const lengthBefore = (sql: string): number => {
  let length = 0
  for (const { text, kind } of sqlParts(sql)) {
    const isLeading = kind === "comment" || text.trim() === ""
    if (!isLeading) return length + text.length - text.trimStart().length
    length += text.length
  }
  return length
}

/** A query's own WITH, and one in parentheses, which DuckDB does not read after another. */
const ownWith = /^with\b(?:\s+(recursive)\b)?/i
const inParentheses = /^\([\s(]*with\b/i

const withSteps = (sql: string, steps: ReadonlyMap<string, string>): string => {
  if (steps.size === 0) return sql
  const before = lengthBefore(sql)
  const [comments, query] = [sql.slice(0, before), sql.slice(before)]
  const list = [...steps].map(([name, body]) => `${identifier(name)} AS (\n${body}\n)`).join(",\n")
  if (inParentheses.test(query)) return `${comments}WITH ${list}\nFROM (${query}\n)`
  const [own, recursive = ""] = ownWith.exec(query) ?? []
  return `${comments}WITH ${recursive} ${list}${own === undefined ? `\n${query}` : `,${query.slice(own.length)}`}`
}

/** A reader whose every query is of what was known at the instant. */
export const readerAsOf = (reader: Reader, { rewritten }: AsOf): Reader => ({
  ...reader,
  rows: (sql, parameters) =>
    Effect.flatMap(rewritten(reader, sql), (text) => reader.rows(text, parameters)),
  query: (sql, parameters, use, maxBytes) =>
    Effect.flatMap(rewritten(reader, sql), (text) => reader.query(text, parameters, use, maxBytes)),
  exportParquet: (sql, maxRows, use) =>
    Effect.flatMap(rewritten(reader, sql), (text) => reader.exportParquet(text, maxRows, use)),
})
