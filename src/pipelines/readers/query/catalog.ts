// Tables, macros and keywords of the published copy: for completion, and for the commands of the shell.
import * as Effect from "effect/Effect"
import type { PublishedCopy } from "../../../load/published/read/PublishedCopy.ts"

export interface CatalogColumn {
  readonly name: string
  readonly type: string
  readonly comment: string
}

export interface CatalogTable {
  readonly schema: string
  readonly name: string
  readonly comment: string
  readonly columns: ReadonlyArray<CatalogColumn>
}

export interface Catalog {
  readonly tables: ReadonlyArray<CatalogTable>
  /** Table macros, `mart.ratio_history_as_of` and the like. */
  readonly macros: ReadonlyArray<string>
  readonly keywords: ReadonlyArray<string>
}

const columnsSql = `select
    c.schema_name as schema, c.table_name as "table", c.column_name as name, c.data_type as type,
    coalesce(c.comment, '') as comment, coalesce(t.comment, v.comment, '') as table_comment
  from duckdb_columns() c
  left join duckdb_tables() t using (database_name, schema_name, table_name)
  left join duckdb_views() v
    on v.database_name = c.database_name and v.schema_name = c.schema_name
    and v.view_name = c.table_name
  where c.database_name = current_catalog() and c.schema_name in ('core', 'mart', 'meta', 'ops', 'raw')
  order by c.schema_name, c.table_name, c.column_index`

const macrosSql = `select distinct schema_name || '.' || function_name as name from duckdb_functions()
  where database_name = current_catalog() and function_type = 'table_macro' order by all`

const keywordsSql = `select keyword_name as name from duckdb_keywords()
  where keyword_category in ('reserved', 'type_function') or keyword_name in
    ('by', 'count', 'filter', 'over', 'partition', 'values', 'interval', 'date', 'timestamp', 'coalesce',
    'between', 'exclude', 'replace', 'with', 'explain') order by all`

export const readCatalog = Effect.fnUntraced(function* (copy: PublishedCopy) {
  const tables = new Map<string, CatalogTable & { readonly columns: Array<CatalogColumn> }>()
  for (const row of yield* copy.rows(columnsSql)) {
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
  const namesOf = (sql: string) =>
    Effect.map(copy.rows(sql), (rows) => rows.map(({ name }) => String(name)))
  return {
    tables: [...tables.values()],
    macros: yield* namesOf(macrosSql),
    keywords: yield* namesOf(keywordsSql),
  } satisfies Catalog
})

export const nameOf = ({ schema, name }: CatalogTable): string => `${schema}.${name}`

/** By its name, with or without its schema. */
export const findTable = ({ tables }: Catalog, wanted: string): CatalogTable | undefined =>
  tables.find((table) => nameOf(table) === wanted.toLowerCase()) ??
  tables.find((table) => table.name === wanted.toLowerCase())
