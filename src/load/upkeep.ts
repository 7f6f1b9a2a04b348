// Writes vaulthouse's own small tables (tasks, cursors, archive index, …) without comparison or counts, which
// would cost a group of pages as much as its history rows, and all of them in two calls: each call waits for its
// turn behind the pages being parsed.
import type { Rows, Table, Value } from "../domain/table.ts"
import { MICROS_PER_DAY } from "../domain/time.ts"
import type { MergeContext } from "./merge.ts"
import { identifier, identifiers, instant, qualified } from "./sql.ts"
import { append, carriers, fromCarrier, type StagedColumn } from "./stage.ts"

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

/** A table's rows, one a key, and the temporary table that carries them. */
interface Upkept {
  readonly table: Table
  readonly columns: ReadonlyArray<ReadonlyArray<Value>>
  readonly carrier: string
}

const upkeptOf = (all: ReadonlyArray<Rows>): ReadonlyArray<Upkept> => {
  const filled = all.filter(({ length }) => length > 0)
  const byTable = Map.groupBy(filled, ({ table }) => table)
  return [...byTable].map(([table, rows]) => ({
    table,
    columns: onePerKey(table, rows),
    carrier: `upkeep_${table.schema}_${table.name}`,
  }))
}

const stagedColumns = ({ table, columns }: Upkept): ReadonlyArray<StagedColumn> =>
  table.columns.map(({ name, type }, at) => ({
    name,
    carrier: carriers[type],
    values: columns[at] ?? [],
  }))

const writing = ({ table, columns, carrier }: Upkept): string => {
  const target = qualified(table)
  const values = table.columns.map(({ name, type }) => fromCarrier[type](`s.${identifier(name)}`))
  const matches = table.columns
    .flatMap(({ name }, at) =>
      table.key.includes(name) ? [`t.${identifier(name)} = ${values[at]}`] : [],
    )
    .join(" AND ")
  const remove = `DELETE FROM ${target} t USING temp.main.${carrier} s WHERE ${matches};`
  const isNew = `WHERE NOT EXISTS (
    SELECT 1 FROM ${target} t WHERE ${matches} AND ${withinTimes(table, columns)})`
  return `${table.mode === "replace" ? remove : ""}
    INSERT INTO ${target} (${identifiers(table.columns.map(({ name }) => name))})
    SELECT ${values.join(", ")} FROM temp.main.${carrier} s
    ${table.mode === "first" ? isNew : ""};`
}

/** Inside the writer's transaction; answers the months of each table that may have changed. */
export const upkeep = async (
  { connection }: MergeContext,
  all: ReadonlyArray<Rows>,
): Promise<ReadonlyArray<readonly [Table, ReadonlySet<string>]>> => {
  const upkept = upkeptOf(all)
  if (upkept.length === 0) return []
  await append(
    connection,
    Object.fromEntries(upkept.map((each) => [each.carrier, stagedColumns(each)])),
  )
  await connection.run(upkept.map(writing).join("\n"))
  return upkept.map(({ table, columns }) => [table, monthsOf(table, columns)])
}
