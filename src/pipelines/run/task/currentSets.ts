// Which sets have a current row.
import * as Effect from "effect/Effect"
import { type Rows, tableName } from "../../../domain/table/table.ts"
import { number } from "../../../load/duckdb/decodeRow.ts"
import { identifier, qualified, storedType } from "../../../load/sql/sql.ts"
import { Warehouse } from "../../../load/Warehouse.ts"

const columnsOf = ({ mergeKey = {} }: Rows): ReadonlyArray<string> => Object.keys(mergeKey)

/** Selects the places of the sets in `$parameter` that have a current row; all sets have the columns of `set`. */
const currentSets = (set: Rows, parameter: number): string => {
  const types = Object.fromEntries(
    set.table.columns
      .filter(({ name }) => columnsOf(set).includes(name))
      .map(({ name, type }) => [name, storedType[type]]),
  )
  const same = columnsOf(set).map(
    (name) => `t.${identifier(name)} is not distinct from w.${identifier(name)}`,
  )
  return `select distinct w._place as place
    from (select unnest(
      from_json($${parameter}, '${JSON.stringify([{ ...types, _place: "INTEGER" }])}'), recursive := true)) w
    join ${qualified(set.table)} t on ${["t.is_current", ...same].join(" and ")}`
}

/** Indexes of those of `sets` that have a current row. */
export const haveCurrentRow = Effect.fnUntraced(function* (sets: ReadonlyArray<Rows>) {
  const groups = Map.groupBy(
    sets.map((set, _place) => ({ set, values: { ...set.mergeKey, _place } })),
    ({ set }) => `${tableName(set.table)} ${columnsOf(set).join()}`,
  )
  const selects: Array<string> = []
  const parameters: Array<string> = []
  for (const each of groups.values()) {
    parameters.push(JSON.stringify(each.map(({ values }) => values)))
    if (each[0] !== undefined) selects.push(currentSets(each[0].set, parameters.length))
  }
  const { rows } = yield* Warehouse
  const found = yield* rows(selects.join(" union all "), parameters)
  return new Set(found.map(number("place")))
})
