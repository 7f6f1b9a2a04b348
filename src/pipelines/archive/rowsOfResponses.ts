// Which stored rows were read from which responses.
import * as Effect from "effect/Effect"
import { storedTables, type Table, tableName } from "../../domain/table/table.ts"
import { decodeRow, number, text } from "../../load/duckdb/decodeRow.ts"
import { literal } from "../../load/sql/sql.ts"
import { Warehouse } from "../../load/Warehouse.ts"

/** How many rows of each of `tables` name a response among `unreadable` (ids) or one that is not in the index. */
export const lostRows = Effect.fnUntraced(function* (
  tables: ReadonlyArray<Table>,
  unreadable: ReadonlyArray<string>,
) {
  const warehouse = yield* Warehouse
  const stored = tables
    .flatMap(storedTables)
    .map(
      (table) =>
        `select ${literal(tableName(table))} as name, _response_id from ${tableName(table)}`,
    )
  const lost = yield* warehouse.rows(
    `select name as table, count(*)::double as rows from (${stored.join(" union all ")}) t
     where _response_id is not null and (
       not exists (from raw.responses r where r.response_id = t._response_id and r.is_landed)
       or list_contains(from_json($1, '["VARCHAR"]'), _response_id))
     group by name order by name`,
    [JSON.stringify(unreadable)],
  )
  return lost.map(decodeRow({ table: text("table"), rows: number("rows") }))
})

/** How many rows of `tables` were read from these responses. */
export const countRowsOf = Effect.fnUntraced(function* (
  tables: ReadonlyArray<Table>,
  responseIds: ReadonlyArray<string>,
) {
  const warehouse = yield* Warehouse
  const ids = responseIds.map(literal).join(", ")
  const rows = tables
    .flatMap(storedTables)
    .map((table) => `select 1 from ${tableName(table)} where _response_id in (${ids})`)
  const [count] = yield* warehouse.rows(
    `select count(*)::double as rows from (${rows.join(" union all ")})`,
  )
  return count === undefined ? 0 : number("rows")(count)
})
