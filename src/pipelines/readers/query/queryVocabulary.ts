// Tables, macros and keywords of the published copy: for completion, and for the commands of the shell.
import * as Effect from "effect/Effect"
import type { PublishedCopy } from "../../../load/published/read/PublishedCopy.ts"
import { sqlFile } from "../../../load/sql/sqlFile.ts"

export interface QueryColumn {
  readonly name: string
  readonly type: string
  readonly comment: string
}

export interface QueryTable {
  readonly schema: string
  readonly name: string
  readonly comment: string
  readonly columns: ReadonlyArray<QueryColumn>
}

export interface QueryVocabulary {
  readonly tables: ReadonlyArray<QueryTable>
  /** Table macros, `mart.ratio_history_as_of` and the like. */
  readonly macros: ReadonlyArray<string>
  readonly keywords: ReadonlyArray<string>
}

export const readQueryVocabulary = Effect.fnUntraced(function* (copy: PublishedCopy) {
  const tables = new Map<string, QueryTable & { readonly columns: Array<QueryColumn> }>()
  for (const row of yield* copy.rows(sqlFile("query", "columns"))) {
    const text = (name: string): string => String(row[name])
    const name = `${text("schema")}.${text("table")}`
    const table = tables.get(name) ?? {
      schema: text("schema"),
      name: text("table"),
      comment: text("table_comment"),
      columns: [],
    }
    tables.set(name, table)
    table.columns.push({ name: text("name"), type: text("type"), comment: text("comment") })
  }
  const namesIn = (file: string) =>
    Effect.map(copy.rows(sqlFile("query", file)), (rows) => rows.map(({ name }) => String(name)))
  return {
    tables: [...tables.values()],
    macros: yield* namesIn("table_macros"),
    keywords: yield* namesIn("keywords"),
  } satisfies QueryVocabulary
})

export const nameOf = ({ schema, name }: QueryTable): string => `${schema}.${name}`

/** By its name, with or without its schema. */
export const findTable = ({ tables }: QueryVocabulary, wanted: string): QueryTable | undefined =>
  tables.find((table) => nameOf(table) === wanted.toLowerCase()) ??
  tables.find((table) => table.name === wanted.toLowerCase())
