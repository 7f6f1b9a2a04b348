// Stages rows from JavaScript in temporary tables, for a merge to compare them with what is stored.
import type { DuckDBConnection } from "@duckdb/node-api"
import { invariant } from "../../../domain/invariant.ts"
import type { Column, Value } from "../../../domain/table/column.ts"
import { type Rows, type Table, tableName } from "../../../domain/table/table.ts"
import { type AppendedRows, appendRows } from "../../duckdb/appendRows.ts"
import { haveDistinctKeys } from "./distinctKeys.ts"
import { identifier, storedType } from "../../sql/sql.ts"

/** The rows of one response in one table; `batch` is the index of their batch in its group. */
export interface PageRows {
  readonly batch: number
  readonly rows: Rows
  readonly runId: string
}

/** `_batch`, the table's columns, `_response_id`, `_run_id`, `_observed_at` and `_is_partial`; rowid is their order. */
export const STAGED = "temp.main.staged"

/** Sets without members: `_batch`, the columns of the merge key, `_run_id`, `_observed_at` and `_is_partial`. */
export const STAGED_EMPTY_SETS = "temp.main.staged_empty_sets"

/** Merge keys: `_batch`, `_observed_at` and the key's columns; each combination of columns has a table of its own. */
export const stagedMergeKeys = (shape: number): string => `temp.main.${mergeKeysTable(shape)}`

const mergeKeysTable = (shape: number): string => `staged_merge_keys_${shape}`

export interface Staged {
  readonly table: Table
  readonly rows: number
  /** Rows of each batch. */
  readonly rowsOfBatch: ReadonlyMap<number, number>
  /** Whether `STAGED_EMPTY_SETS` holds any. */
  readonly hasEmptySets: boolean
  /** Smallest and largest value of the time column, in its own unit; absent if there is no time. */
  readonly bounds: { readonly from: number; readonly to: number } | undefined
  /** Whether no key can occur twice. */
  readonly distinct: boolean
  readonly mergeKeys: ReadonlyArray<StagedMergeKey>
  /** The columns of each table of `stagedMergeKeys`, by its argument. */
  readonly mergeKeyShapes: ReadonlyArray<ReadonlyArray<string>>
}

/** A set that a batch holds whole. */
export interface StagedMergeKey {
  readonly batch: number
  readonly values: Readonly<Record<string, Value>>
  /** Microseconds; absent for rows without a response. */
  readonly observedAt: number | undefined
}

type StagedColumns = ReadonlyArray<readonly [name: string, storedType: string]>

/** The statement that creates an empty `temp.main.<name>`. */
export const createTemporary = (name: string, columns: StagedColumns): string => {
  const definitions = columns.map(([column, type]) => `${identifier(column)} ${type}`)
  return `CREATE OR REPLACE TEMP TABLE ${name} (${definitions.join(", ")});`
}

export const appendTemporary = (
  connection: DuckDBConnection,
  name: string,
  parts: Iterable<AppendedRows>,
): Promise<void> => appendRows(connection, { catalog: "temp", schema: "main", name }, parts)

/** Creates `temp.main.<name>` with these rows. */
const fillTemporary = async (
  connection: DuckDBConnection,
  name: string,
  columns: StagedColumns,
  parts: Iterable<AppendedRows>,
): Promise<void> => {
  await connection.run(createTemporary(name, columns))
  await appendTemporary(connection, name, parts)
}

/** Names and stored types of columns. */
export const columnTypes = (columns: ReadonlyArray<Column>) =>
  columns.map(({ name, type }) => [name, storedType[type]] as const)

const batchColumn = ["_batch", "INTEGER"] as const
const responseColumn = ["_response_id", "VARCHAR"] as const
const lineageColumns = [
  ["_run_id", "VARCHAR"],
  ["_observed_at", "TIMESTAMP"],
  ["_is_partial", "BOOLEAN"],
] as const

const lineageOf = ({ rows, runId }: PageRows): ReadonlyArray<Value> => [
  runId,
  rows.lineage?.receivedAt ?? null,
  rows.isPartial === true,
]

/** Stages `pages`, which are rows of one table. */
export const stage = async (
  connection: DuckDBConnection,
  table: Table,
  pages: ReadonlyArray<PageRows>,
): Promise<Staged> => {
  await fillTemporary(
    connection,
    "staged",
    [batchColumn, ...columnTypes(table.columns), responseColumn, ...lineageColumns],
    pages.map((page) => ({
      length: page.rows.length,
      columns: [
        page.batch,
        ...page.rows.columns,
        page.rows.lineage?.responseId ?? null,
        ...lineageOf(page),
      ],
    })),
  )
  const rowsOfBatch = new Map<number, number>()
  for (const { batch, rows } of pages) {
    rowsOfBatch.set(batch, (rowsOfBatch.get(batch) ?? 0) + rows.length)
  }
  const mergeKeys = mergeKeysOf(pages)
  return {
    table,
    rows: pages.reduce((sum, { rows }) => sum + rows.length, 0),
    rowsOfBatch,
    hasEmptySets: await stageEmptySets(connection, table, pages),
    bounds: boundsOf(table, pages),
    distinct: haveDistinctKeys(pages.map(({ rows }) => rows)),
    mergeKeys,
    mergeKeyShapes: await stageMergeKeys(connection, table, mergeKeys),
  }
}

const stageMergeKeys = async (
  connection: DuckDBConnection,
  table: Table,
  mergeKeys: ReadonlyArray<StagedMergeKey>,
): Promise<Staged["mergeKeyShapes"]> => {
  const byColumns = Map.groupBy(mergeKeys, ({ values }) => Object.keys(values).join())
  const shapes: Array<ReadonlyArray<string>> = []
  for (const keys of byColumns.values()) {
    const columns = table.columns.filter(({ name }) => name in (keys[0]?.values ?? {}))
    await fillTemporary(
      connection,
      mergeKeysTable(shapes.length),
      [batchColumn, ["_observed_at", "TIMESTAMP"], ...columnTypes(columns)],
      keys.map(({ batch, observedAt, values }) => ({
        length: 1,
        columns: [batch, observedAt ?? null, ...columns.map(({ name }) => values[name] ?? null)],
      })),
    )
    shapes.push(columns.map(({ name }) => name))
  }
  return shapes
}

/** Returns whether there are any. */
const stageEmptySets = async (
  connection: DuckDBConnection,
  table: Table,
  pages: ReadonlyArray<PageRows>,
): Promise<boolean> => {
  const parts = pages.flatMap((page) =>
    (page.rows.emptySets ?? []).map((set) => ({
      length: 1,
      columns: [
        page.batch,
        ...mergeKeyColumns(table).map(({ name }) => set[name] ?? null),
        ...lineageOf(page),
      ],
    })),
  )
  if (parts.length === 0) return false
  const columns = [batchColumn, ...columnTypes(mergeKeyColumns(table)), ...lineageColumns]
  await fillTemporary(connection, "staged_empty_sets", columns, parts)
  return true
}

const mergeKeyColumns = ({ columns, mergeKey }: Table): ReadonlyArray<Column> =>
  columns.filter(({ name }) => mergeKey?.includes(name))

const boundsOf = (table: Table, pages: ReadonlyArray<PageRows>): Staged["bounds"] => {
  const { time } = table
  if (time === undefined) return undefined
  const at = table.columns.findIndex(({ name }) => name === time)
  let from = Number.POSITIVE_INFINITY
  let to = Number.NEGATIVE_INFINITY
  const widen = (value: Value | undefined): void => {
    if (typeof value !== "number") return
    if (value < from) from = value
    if (value > to) to = value
  }
  for (const { rows } of pages) {
    rows.columns[at]?.forEach(widen)
    for (const set of rows.emptySets ?? []) widen(set[time])
  }
  return from <= to ? { from, to } : undefined
}

/** One per batch and set; a set that was received in several pages was observed when the last one was. */
const mergeKeysOf = (pages: ReadonlyArray<PageRows>): ReadonlyArray<StagedMergeKey> => {
  const mergeKeys = new Map<string, StagedMergeKey>()
  for (const { batch, rows } of pages) {
    if (rows.mergeKey === undefined) continue
    const { isPartial, table } = rows
    const isWhole = isPartial !== true && table.mode === "slowly_changing"
    invariant(isWhole, "only a whole set of a slowly changing table ends what it lacks", {
      table: tableName(table),
      mode: table.mode,
      is_partial: isPartial ?? false,
    })
    const name = `${batch} ${JSON.stringify(rows.mergeKey)}`
    // Pages that are requested at once need not arrive in their order.
    const times = [rows.lineage?.receivedAt, mergeKeys.get(name)?.observedAt].filter(
      (time) => time !== undefined,
    )
    const observedAt = times.length === 0 ? undefined : Math.max(...times)
    mergeKeys.set(name, { batch, values: rows.mergeKey, observedAt })
  }
  return [...mergeKeys.values()]
}
