// Writes vaulthouse's own small tables (tasks, cursors, archive index, …) in two or three statements: no
// comparison and no counts, which would cost a group of pages as much as its history rows.
import { type Rows, type Table, tableName, type Value } from "../domain/table.ts"
import { MICROS_PER_DAY } from "../domain/time.ts"
import type { MergeContext } from "./merge.ts"
import { identifier, identifiers, instant, qualified } from "./sql.ts"
import { append, carriers, fromCarrier } from "./stage.ts"

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

/** Inside the writer's transaction; answers the months of each table that may have changed. */
export const upkeep = async (
  { connection }: MergeContext,
  all: ReadonlyArray<Rows>,
): Promise<ReadonlyArray<readonly [Table, ReadonlySet<string>]>> => {
  const changed: Array<readonly [Table, ReadonlySet<string>]> = []
  for (const of of Map.groupBy(all, ({ table }) => tableName(table)).values()) {
    const table = of[0]?.table
    if (table === undefined || of.every(({ length }) => length === 0)) continue
    const columns = onePerKey(table, of)
    const staged = table.columns.map(({ name, type }, at) => ({
      name,
      carrier: carriers[type],
      values: columns[at] ?? [],
    }))
    await append(connection, { staged_upkeep: staged })
    const target = qualified(table)
    const values = table.columns.map(({ name, type }) => fromCarrier[type](`s.${identifier(name)}`))
    const matches = table.columns
      .flatMap(({ name }, at) =>
        table.key.includes(name) ? [`t.${identifier(name)} = ${values[at]}`] : [],
      )
      .join(" AND ")
    const remove = `DELETE FROM ${target} t USING temp.main.staged_upkeep s WHERE ${matches};`
    const isNew = `WHERE NOT EXISTS (
      SELECT 1 FROM ${target} t WHERE ${matches} AND ${withinTimes(table, columns)})`
    // In one call: each waits for its turn behind the pages being parsed.
    await connection.run(
      `${table.mode === "replace" ? remove : ""}
       INSERT INTO ${target} (${identifiers(table.columns.map(({ name }) => name))})
       SELECT ${values.join(", ")} FROM temp.main.staged_upkeep s
       ${table.mode === "first" ? isNew : ""}`,
    )
    changed.push([table, monthsOf(table, columns)])
  }
  return changed
}
