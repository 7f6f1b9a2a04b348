// Writes vaulthouse's own small tables (tasks, cursors, archive index, …) without comparison or counts, which
// would cost a group of pages as much as its history rows.
import type { Value } from "../../domain/table/column.ts"
import type { Table } from "../../domain/table/table.ts"
import type { Entries } from "./entries.ts"
import type { MergeContext } from "./merge/merge.ts"
import { sameKey } from "./merge/matching.ts"
import { identifier, identifiers, instant, qualified } from "../sql/sql.ts"
import { appendTemporary, createTemporary, columnTypes } from "./merge/stage.ts"
import type { StoredKeys } from "./stored/storedKeys.ts"

/** Rows that never change keep their time, so literal bounds let DuckDB skip all that is older. */
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

const staged = ({ table: { schema, name } }: Entries): string => `bookkeeping_${schema}_${name}`

const writeStatements = (entries: Entries, areNew: boolean): string => {
  const { table, columns } = entries
  const target = qualified(table)
  const source = `temp.main.${staged(entries)} s`
  const matches = sameKey(table, "t", "s")
  const names = table.columns.map(({ name }) => name)
  const remove = `DELETE FROM ${target} t USING ${source} WHERE ${matches};`
  const isNew = `WHERE NOT EXISTS (
    SELECT 1 FROM ${target} t WHERE ${matches} AND ${withinTimes(table, columns)})`
  const insert = `INSERT INTO ${target} (${identifiers(names)}) SELECT ${identifiers(names, "s")} FROM ${source}`
  if (areNew) return `${insert};`
  return table.mode === "replace" ? `${remove} ${insert};` : `${insert} ${isNew};`
}

/** Runs inside the writer's transaction, in few calls, because each waits for the event loop. */
export const writeBookkeeping = async (
  { connection }: MergeContext,
  entries: ReadonlyArray<Entries>,
  keys: StoredKeys,
): Promise<void> => {
  const creation = entries.map((each) =>
    createTemporary(staged(each), columnTypes(each.table.columns)),
  )
  await connection.run(creation.join("\n"))
  for (const each of entries) {
    const { columns } = each
    await appendTemporary(connection, staged(each), [{ length: columns[0]?.length ?? 0, columns }])
  }
  await connection.run(entries.map((each) => writeStatements(each, keys.add(each))).join("\n"))
}
