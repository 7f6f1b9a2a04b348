// Writes vaulthouse's own small tables (tasks, cursors, archive index, …) without comparison or counts, which
// would cost a group of pages as much as its history rows.
import type { DuckDBConnection } from "@duckdb/node-api"
import type { Value } from "../domain/column.ts"
import type { Rows, Table } from "../domain/table.ts"
import { MICROS_PER_DAY } from "../domain/time.ts"
import type { MergeContext } from "./merge.ts"
import { sameKey } from "./matching.ts"
import { identifier, identifiers, instant, qualified } from "./sql.ts"
import { fillTemporary, storedColumns } from "./stage.ts"

/** One row a key, in columns: the last one in mode `replace`, the first one in mode `first`. */
const onePerKey = (table: Table, all: ReadonlyArray<Rows>): ReadonlyArray<ReadonlyArray<Value>> => {
  const keyAt = table.key.map((name) => table.columns.findIndex((column) => column.name === name))
  const byKey = new Map<string, readonly [Rows, number]>()
  for (const rows of all) {
    for (let row = 0; row < rows.length; row++) {
      const key = JSON.stringify(keyAt.map((at) => rows.columns[at]?.[row]))
      if (table.mode === "replace" || !byKey.has(key)) byKey.set(key, [rows, row])
    }
  }
  const chosen = [...byKey.values()]
  return table.columns.map((_, at) => chosen.map(([rows, row]) => rows.columns[at]?.[row] ?? null))
}

const monthsOf = (table: Table, columns: ReadonlyArray<ReadonlyArray<Value>>): Set<string> => {
  const at = table.columns.findIndex(({ name }) => name === table.time)
  const unit = table.columns[at]?.type === "date" ? MICROS_PER_DAY / 1000 : 1 / 1000
  const monthOf = (time: Value) => new Date(Number(time) * unit).toISOString().slice(0, 7)
  return new Set(at < 0 ? ["-"] : columns[at]?.map(monthOf))
}

/** Rows that never change have the time they had: literal bounds spare reading all that is older. */
const withinTimes = (table: Table, columns: ReadonlyArray<ReadonlyArray<Value>>): string => {
  const at = table.columns.findIndex(({ name }) => name === table.time)
  const column = table.columns[at]
  if (column?.type !== "timestamp") return "true"
  let from = Infinity
  let to = -Infinity
  for (const value of columns[at] ?? []) {
    from = Math.min(from, Number(value))
    to = Math.max(to, Number(value))
  }
  return `t.${identifier(column.name)} BETWEEN ${instant(from)} AND ${instant(to)}`
}

/** A table's rows, one a key. */
interface Entries {
  readonly table: Table
  readonly columns: ReadonlyArray<ReadonlyArray<Value>>
}

const entriesOf = (all: ReadonlyArray<Rows>): ReadonlyArray<Entries> => {
  const filled = all.filter(({ length }) => length > 0)
  const byTable = Map.groupBy(filled, ({ table }) => table)
  return [...byTable].map(([table, rows]) => ({ table, columns: onePerKey(table, rows) }))
}

const temporaryName = ({ schema, name }: Table): string => `bookkeeping_${schema}_${name}`

const fill = (connection: DuckDBConnection, { table, columns }: Entries): Promise<void> =>
  fillTemporary(connection, temporaryName(table), storedColumns(table.columns), [
    { length: columns[0]?.length ?? 0, columns },
  ])

const writing = ({ table, columns }: Entries): string => {
  const target = qualified(table)
  const source = `temp.main.${temporaryName(table)} s`
  const matches = sameKey(table, "t", "s")
  const names = table.columns.map(({ name }) => name)
  const remove = `DELETE FROM ${target} t USING ${source} WHERE ${matches};`
  const isNew = `WHERE NOT EXISTS (
    SELECT 1 FROM ${target} t WHERE ${matches} AND ${withinTimes(table, columns)})`
  return `${table.mode === "replace" ? remove : ""}
    INSERT INTO ${target} (${identifiers(names)}) SELECT ${identifiers(names, "s")} FROM ${source}
    ${table.mode === "first" ? isNew : ""};`
}

/** Inside the writer's transaction; answers the months of each table that may have changed. */
export const writeBookkeeping = async (
  { connection }: MergeContext,
  all: ReadonlyArray<Rows>,
): Promise<ReadonlyArray<readonly [Table, ReadonlySet<string>]>> => {
  const entries = entriesOf(all)
  if (entries.length === 0) return []
  for (const each of entries) await fill(connection, each)
  await connection.run(entries.map(writing).join("\n"))
  return entries.map(({ table, columns }) => [table, monthsOf(table, columns)])
}
