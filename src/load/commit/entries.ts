// Rows of vaulthouse's own tables, one per key, as a transaction writes them.
import type { Value } from "../../domain/table/column.ts"
import type { Rows, Table } from "../../domain/table/table.ts"

/** A table's rows, one per key. */
export interface Entries {
  readonly table: Table
  readonly columns: ReadonlyArray<ReadonlyArray<Value>>
  /** As text. */
  readonly keys: ReadonlyArray<string>
  /** `Rows.haveNewKeys` of all of them. */
  readonly haveNewKeys: boolean
}

/** One row per key: the last one in mode `replace`, the first one in mode `first`. */
const onePerKey = (table: Table, all: ReadonlyArray<Rows>): Pick<Entries, "columns" | "keys"> => {
  const keyAt = table.key.map((name) => table.columns.findIndex((column) => column.name === name))
  const byKey = new Map<string, readonly [Rows, number]>()
  for (const rows of all) {
    for (let row = 0; row < rows.length; row++) {
      const key = JSON.stringify(keyAt.map((at) => rows.columns[at]?.[row]))
      if (table.mode === "replace" || !byKey.has(key)) byKey.set(key, [rows, row])
    }
  }
  const chosen = [...byKey.values()]
  return {
    columns: table.columns.map((_, at) =>
      chosen.map(([rows, row]) => rows.columns[at]?.[row] ?? null),
    ),
    keys: [...byKey.keys()],
  }
}

export const entriesOf = (all: ReadonlyArray<Rows>): ReadonlyArray<Entries> => {
  const filled = all.filter(({ length }) => length > 0)
  const byTable = Map.groupBy(filled, ({ table }) => table)
  return [...byTable].map(([table, rows]) => ({
    table,
    ...onePerKey(table, rows),
    haveNewKeys: rows.every(({ haveNewKeys }) => haveNewKeys === true),
  }))
}
