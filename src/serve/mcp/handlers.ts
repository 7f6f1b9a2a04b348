// What the tools of the MCP server do, with the readers and limits of the web page.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { parseInstant } from "../../domain/values/time.ts"
import { visible } from "../../domain/values/visible.ts"
import { readKnownProblems } from "../../pipelines/readers/problems/problems.ts"
import { parameterNames } from "../../domain/values/queryParameter.ts"
import { sqlFile } from "../../pipelines/readers/published.ts"
import {
  findTable,
  nameOf,
  type QueryVocabulary,
} from "../../pipelines/readers/query/queryVocabulary.ts"
import type { Row } from "../../pipelines/readers/runs.ts"
import { shortFragment, shortValue } from "../../pipelines/readers/trace/fragment.ts"
import { trace, type Trace } from "../../pipelines/readers/trace/trace.ts"
import { computedRead, type QueryContext, runQuery } from "../runQuery.ts"
import { refuseUnused, withValues } from "../sql/parameterFields.ts"
import { Refused, tools } from "./tools.ts"

export interface McpContext extends QueryContext {
  readonly dataDir: string
  readonly archive: string | undefined
  readonly vocabulary: Effect.Effect<QueryVocabulary, Error>
}

const INITIAL_ROWS = 200
// A daily figure derives from up to 24 hourly rows; the newest are enough.
const MAX_TRACED_ROWS = 5

/** A value as JSON whose text is safe to show: whatever a name contains, it stays a name. */
const plain = (value: unknown): Schema.Json => {
  if (typeof value === "string") return visible(value)
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, each]) =>
        each === undefined ? [] : [[visible(key), plain(each)]],
      ),
    )
  }
  return typeof value === "bigint" ? String(value) : ((value ?? null) as Schema.Json)
}

const shortRow = (row: Row): Row =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, shortValue(value)]))

/** With the beginning of the values and parts of responses that are too long for an assistant. */
const short = ({ key, values, origins, ...found }: Trace): Trace => ({
  ...found,
  key: shortRow(key),
  values: shortRow(values),
  origins: origins.map((each) => ({
    ...each,
    facts: each.facts.map((fact) => ({
      ...fact,
      key: shortRow(fact.key),
      values: shortRow(fact.values),
      superseded: fact.superseded.map(shortRow),
      fragment: fact.fragment && shortFragment(fact.fragment),
    })),
  })),
})

/** What it says to do about a failure, unless that is a command, which an assistant can't give. */
const adviceOf = (error: Error): string =>
  "advice" in error && typeof error.advice === "string" && !/`vaulthouse |--\w/.test(error.advice)
    ? error.advice
    : ""

const wordsOf = (error: Error): string =>
  visible(
    "why" in error && typeof error.why === "string"
      ? `${error.why} ${adviceOf(error)}`.trim()
      : error.message,
  )

const refused = (message: string): Refused => new Refused({ message })

/** A failure becomes the text of the result, so that the assistant can do something about it. */
const inWords = <A, E extends Error, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.mapError(effect, (error) => refused(wordsOf(error)))

export const handlers = (context: McpContext) => {
  const { latest, limits, dataDir, archive, vocabulary } = context
  return tools.toLayer({
    list_tables: ({ schema }) =>
      inWords(
        Effect.map(vocabulary, ({ tables, macros }) => ({
          tables: tables
            .filter((table) => schema === undefined || table.schema === schema)
            .map((table) => ({ table: nameOf(table), meaning: table.comment })),
          functions: macros.filter((name) => schema === undefined || name.startsWith(`${schema}.`)),
        })),
      ),
    describe_table: ({ table: wanted }) =>
      inWords(vocabulary).pipe(
        Effect.flatMap((all) => {
          const found = findTable(all, wanted)
          return found === undefined
            ? Effect.fail(
                refused(`There is no table ${visible(wanted)}: list_tables has their names.`),
              )
            : Effect.succeed({
                table: nameOf(found),
                meaning: found.comment,
                columns: found.columns.map(({ name, type, comment }) => ({
                  name,
                  type: type.toLowerCase(),
                  meaning: comment,
                })),
              })
        }),
      ),
    worked_questions: ({ name }) =>
      inWords(latest.read((copy) => copy.rows(sqlFile("serve", "questions")))).pipe(
        Effect.flatMap((rows) => {
          const chosen = rows.filter((row) => name === undefined || row["name"] === name)
          if (chosen.length === 0) {
            return Effect.fail(
              refused(`There is no question ${visible(String(name))}: call it without a name.`),
            )
          }
          return Effect.succeed({
            questions: chosen.map((row) =>
              name === undefined
                ? { name: row["name"] ?? null, question: row["question"] ?? null }
                : { ...row, parameters: [...parameterNames(String(row["sql"]))] },
            ),
          })
        }),
      ),
    query: ({ sql, parameters = {}, max_rows: rows = INITIAL_ROWS }) =>
      refuseUnused(sql, Object.keys(parameters), "parameters.").pipe(
        Effect.andThen(withValues(sql, parameters)),
        Effect.flatMap((filled) =>
          runQuery({ latest, limits: { ...limits, rows: Math.min(rows, limits.rows) } }, filled),
        ),
        inWords,
        Effect.map(({ publication, columns, rows: found, cutBy }) => ({
          run_id: publication.runId,
          columns: columns.map(({ name, type }) => ({ name: visible(name), type })),
          rows: found.map((row) => row.map(plain)),
          cut_by: cutBy ?? null,
        })),
      ),
    trace: ({ table, column, vault_address: vault, at, key = {} }) => {
      const from = parseInstant(at)
      if (at !== undefined && from === undefined) {
        return Effect.fail(
          refused(`at = ${visible(at)} is not an instant such as 2026-05-01T03:00:00Z.`),
        )
      }
      const request = {
        table,
        column,
        vault,
        moment:
          at === undefined || from === undefined ? undefined : { from, to: from + 1, text: at },
        key,
        named: (name: string, value: string, isTime: boolean) =>
          `${isTime ? "at" : `key.${name}`} = ${value}`,
        maxRows: MAX_TRACED_ROWS,
      }
      return inWords(
        computedRead(
          latest,
          limits,
        )((copy) => {
          const traced = (withBody: boolean) =>
            trace(copy, { dataDir, archive }, { ...request, withBody })
          // The machine with the published copy may have no archive.
          return traced(true).pipe(Effect.catchTag("LoadError", () => traced(false)))
        }),
      ).pipe(Effect.map((found) => ({ trace: plain(short(found)) })))
    },
    status: () =>
      Effect.gen(function* () {
        const { runId, publishedAt } = yield* latest.publication
        const problems = yield* inWords(readKnownProblems(dataDir))
        const freshness = yield* inWords(
          latest.read((copy) =>
            copy.rows(
              `select series, count(*) as vaults, count(*) filter (is_stale) as stale, min(newest_at) as oldest_newest_at
               from mart.freshness where lower(status) is distinct from 'closed' group by series order by series`,
            ),
          ),
        )
        return {
          status: plain({
            now: new Date(yield* Clock.currentTimeMillis).toISOString(),
            published: { run_id: runId, published_at: publishedAt },
            problems: problems ?? null,
            freshness,
          }),
        }
      }),
  })
}
