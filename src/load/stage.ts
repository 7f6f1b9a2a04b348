// Carries rows from JavaScript into temporary tables, column chunks at a time. A column that does not vary
// within its page (the vault, the series, an absent field) is staged once a page: 1.5 to 3.7 M rows/s.
import {
  BOOLEAN,
  type DuckDBConnection,
  DuckDBDataChunk,
  type DuckDBType,
  DOUBLE,
  VARCHAR,
} from "@duckdb/node-api"
import type { Column, ColumnType, Rows, Table, Value } from "../domain/table.ts"
import { haveDistinctKeys, type KeyColumn } from "./distinctKeys.ts"
import { monthsIn } from "./months.ts"
import { identifier } from "./sql.ts"

/** Rows of one table and one response within a batch; `batch` is the batch's place in its group. */
export interface Page {
  readonly batch: number
  readonly rows: Rows
  readonly runId: string
}

export interface StagedScope {
  readonly batch: number
  readonly values: Readonly<Record<string, Value>>
  /** Microseconds; absent for rows that no response gave. */
  readonly observedAt: number | undefined
}

export interface Staged {
  readonly table: Table
  readonly rows: number
  /** Rows of each batch. */
  readonly rowsOfBatch: ReadonlyMap<number, number>
  /**
   * A SELECT of `_batch`, `_ordinal`, the table's columns, `_response_id`, `_run_id`, `_observed_at` and `_is_part`.
   */
  readonly source: string
  /**
   * A SELECT of `_batch`, the columns of the set's key, `_run_id`, `_observed_at` and `_is_part` of sets without
   * members.
   */
  readonly emptySets: string | undefined
  /** Smallest and largest value of the time column, in its own unit; absent where there is no time. */
  readonly bounds: { readonly from: number; readonly to: number } | undefined
  /** Whether nothing can be stored yet of the series and times of these rows. */
  readonly isFresh: boolean
  /** Whether no key can occur twice. */
  readonly distinct: boolean
  /** Entities of which a batch holds all there is. */
  readonly scopes: ReadonlyArray<StagedScope>
  /** Months of event time the rows are of. */
  readonly months: ReadonlySet<string>
}

const VECTOR_SIZE = 2048

type Carrier = "DOUBLE" | "VARCHAR" | "BOOLEAN"

const vectorTypes: Record<Carrier, DuckDBType> = { DOUBLE, VARCHAR, BOOLEAN }

export const carriers: Record<ColumnType, Carrier> = {
  text: "VARCHAR",
  json: "VARCHAR",
  amount: "VARCHAR",
  integer: "DOUBLE",
  timestamp: "DOUBLE",
  date: "DOUBLE",
  double: "DOUBLE",
  boolean: "BOOLEAN",
}

// An absent number travels as NaN, which no valid row holds: validity bits cost a BigInt operation a value.
export const fromCarrier: Record<ColumnType, (carried: string) => string> = {
  text: (carried) => carried,
  amount: (carried) => carried,
  boolean: (carried) => carried,
  json: (carried) => `${carried}::JSON`,
  double: (carried) => `nullif(${carried}, 'NaN'::DOUBLE)`,
  integer: (carried) => `TRY_CAST(${carried} AS BIGINT)`,
  timestamp: (carried) => `make_timestamp(TRY_CAST(${carried} AS BIGINT))`,
  date: (carried) => `(DATE '1970-01-01' + TRY_CAST(${carried} AS INTEGER))`,
}

export interface StagedColumn {
  readonly name: string
  readonly carrier: Carrier
  readonly values: ReadonlyArray<Value>
}

/** Makes temporary tables hold these columns, each by its name. */
export const append = async (
  connection: DuckDBConnection,
  tables: Readonly<Record<string, ReadonlyArray<StagedColumn>>>,
): Promise<void> => {
  // In one call: each waits for its turn behind the pages being parsed.
  const creations = Object.entries(tables).map(([name, columns]) => creation(name, columns))
  await connection.run(creations.join(";\n"))
  for (const [name, columns] of Object.entries(tables)) await fill(connection, name, columns)
}

const creation = (name: string, columns: ReadonlyArray<StagedColumn>): string => {
  const definitions = columns.map((column) => `${identifier(column.name)} ${column.carrier}`)
  return `CREATE OR REPLACE TEMP TABLE ${name} (${definitions.join(", ")})`
}

const fill = async (
  connection: DuckDBConnection,
  name: string,
  columns: ReadonlyArray<StagedColumn>,
): Promise<void> => {
  const appender = await connection.createAppender(name, "main", "temp")
  const types = columns.map(({ carrier }) => vectorTypes[carrier])
  const length = columns[0]?.values.length ?? 0
  try {
    for (let offset = 0; offset < length; offset += VECTOR_SIZE) {
      const count = Math.min(VECTOR_SIZE, length - offset)
      const chunk = DuckDBDataChunk.create(types, count)
      for (const [at, { carrier, values }] of columns.entries()) {
        const vector = chunk.getColumnVector(at)
        for (let row = 0; row < count; row++) {
          const value = values[offset + row] ?? null
          vector.setItem(row, value === null && carrier === "DOUBLE" ? Number.NaN : value)
        }
        vector.flush()
      }
      appender.appendDataChunk(chunk)
    }
    appender.flushSync()
  } finally {
    appender.closeSync()
  }
}

const isConstant = (values: ReadonlyArray<Value>): boolean => {
  for (let row = 1; row < values.length; row++) if (values[row] !== values[0]) return false
  return true
}

const boundsOf = (values: ReadonlyArray<ReadonlyArray<Value>>): Staged["bounds"] => {
  let from = Number.POSITIVE_INFINITY
  let to = Number.NEGATIVE_INFINITY
  for (const page of values) {
    for (const value of page) {
      if (typeof value !== "number") continue
      if (value < from) from = value
      if (value > to) to = value
    }
  }
  return from <= to ? { from, to } : undefined
}

/** Stages `pages` (rows of one table, none empty) in `staged_pages` and `staged_rows`. */
export const stage = async (
  connection: DuckDBConnection,
  table: Table,
  pages: ReadonlyArray<Page>,
  isFresh: boolean,
): Promise<Staged> => {
  const perPage: Array<StagedColumn> = [
    { name: "_page", carrier: "DOUBLE", values: pages.map((_, page) => page) },
    { name: "_batch", carrier: "DOUBLE", values: pages.map(({ batch }) => batch) },
    {
      name: "_response_id",
      carrier: "VARCHAR",
      values: pages.map(({ rows }) => rows.origin?.responseId ?? null),
    },
    { name: "_run_id", carrier: "VARCHAR", values: pages.map(({ runId }) => runId) },
    {
      name: "_observed_at",
      carrier: "DOUBLE",
      values: pages.map(({ rows }) => rows.origin?.receivedAt ?? null),
    },
    {
      name: "_is_part",
      carrier: "BOOLEAN",
      values: pages.map(({ rows }) => rows.isPart === true),
    },
  ]
  const perRow: Array<StagedColumn> = [
    {
      name: "_page",
      carrier: "DOUBLE",
      values: pages.flatMap(({ rows }, page) =>
        Array.from<number>({ length: rows.length }).fill(page),
      ),
    },
  ]
  const select: Array<string> = []
  const keys: Array<KeyColumn> = []
  let bounds: Staged["bounds"]
  for (const [at, column] of table.columns.entries()) {
    const values = pages.map(({ rows }) => rows.columns[at] ?? [])
    const constant = values.every(isConstant)
    if (constant)
      perPage.push(
        staged(
          column,
          values.map((page) => page[0] ?? null),
        ),
      )
    else perRow.push(staged(column, ([] as ReadonlyArray<Value>).concat(...values)))
    const carried = `${constant ? "p" : "r"}.${identifier(column.name)}`
    select.push(`${fromCarrier[column.type](carried)} AS ${identifier(column.name)}`)
    if (table.key.includes(column.name)) keys.push({ constant, pages: values })
    if (column.name === table.time) bounds = boundsOf([...values, ...pages.map(emptyTimes)])
  }
  const rowsOfBatch = new Map<number, number>()
  for (const { batch, rows } of pages) {
    rowsOfBatch.set(batch, (rowsOfBatch.get(batch) ?? 0) + rows.length)
  }
  const emptySets = emptySetsOf(table, pages)
  await append(connection, { staged_pages: perPage, staged_rows: perRow, ...emptySets.tables })
  return {
    table,
    rows: perRow[0]?.values.length ?? 0,
    rowsOfBatch,
    source: `SELECT p._batch::INTEGER AS _batch, r.rowid AS _ordinal, ${select.join(", ")},
      p._response_id, p._run_id, make_timestamp(TRY_CAST(p._observed_at AS BIGINT)) AS _observed_at, p._is_part
      FROM temp.main.staged_rows r JOIN temp.main.staged_pages p ON p._page = r._page`,
    emptySets: emptySets.source,
    bounds,
    isFresh,
    distinct: haveDistinctKeys(
      keys,
      pages.map(({ rows }) => rows.length),
    ),
    scopes: scopesOf(pages),
    months: new Set(pages.flatMap(({ rows }) => [...monthsIn(rows)])),
  }
}

const emptyTimes = ({ rows }: Page): ReadonlyArray<Value> =>
  rows.emptySets?.map((set) => set[rows.table.time ?? ""] ?? null) ?? []

/** Sets without members, one a row of `staged_empty_sets`; no table where there is none. */
const emptySetsOf = (
  table: Table,
  pages: ReadonlyArray<Page>,
): {
  readonly tables: Readonly<Record<string, ReadonlyArray<StagedColumn>>>
  readonly source: string | undefined
} => {
  const sets = pages.flatMap(
    ({ batch, runId, rows }) =>
      rows.emptySets?.map((values) => ({
        batch,
        runId,
        values,
        at: rows.origin?.receivedAt,
        isPart: rows.isPart === true,
      })) ?? [],
  )
  if (sets.length === 0) return { tables: {}, source: undefined }
  const columns = table.columns.filter(({ name }) => table.setKey?.includes(name))
  const select = columns.map(
    ({ name, type }) => `${fromCarrier[type](`e.${identifier(name)}`)} AS ${identifier(name)}`,
  )
  return {
    tables: {
      staged_empty_sets: [
        { name: "_batch", carrier: "DOUBLE", values: sets.map(({ batch }) => batch) },
        { name: "_run_id", carrier: "VARCHAR", values: sets.map(({ runId }) => runId) },
        { name: "_observed_at", carrier: "DOUBLE", values: sets.map(({ at }) => at ?? null) },
        { name: "_is_part", carrier: "BOOLEAN", values: sets.map(({ isPart }) => isPart) },
        ...columns.map((column) =>
          staged(
            column,
            sets.map(({ values }) => values[column.name] ?? null),
          ),
        ),
      ],
    },
    source: `SELECT e._batch::INTEGER AS _batch, ${select.join(", ")}, e._run_id,
      make_timestamp(TRY_CAST(e._observed_at AS BIGINT)) AS _observed_at, e._is_part
      FROM temp.main.staged_empty_sets e`,
  }
}

/** One a batch and entity: a set that came in several pages ends when its last one came. */
const scopesOf = (pages: ReadonlyArray<Page>): ReadonlyArray<StagedScope> => {
  const scopes = new Map<string, StagedScope>()
  for (const { batch, rows } of pages) {
    if (rows.scope === undefined) continue
    const observedAt = rows.origin?.receivedAt
    scopes.set(`${batch} ${JSON.stringify(rows.scope)}`, { batch, values: rows.scope, observedAt })
  }
  return [...scopes.values()]
}

const staged = (column: Column, values: ReadonlyArray<Value>): StagedColumn => ({
  name: column.name,
  carrier: carriers[column.type],
  values,
})
