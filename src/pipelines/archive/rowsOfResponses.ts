// Which stored rows were read from which responses.
import * as Effect from "effect/Effect"
import { storedTables, type Table, tableName } from "../../domain/table/table.ts"
import { decodeRow, number, text } from "../../load/duckdb/decodeRow.ts"
import { CATALOG, identifiers, inCatalog, literal } from "../../load/sql/sql.ts"
import { endColumns } from "../../load/state/archiveIndex.ts"
import { OTHER, withAttached } from "../../load/transfer/compareTables.ts"
import { Warehouse } from "../../load/Warehouse.ts"

/**
 * How many rows of each of `tables` name a response among `unreadable` (ids) or one that is not in the index, or ended with an
 * unreadable one, which left them out or revised them.
 */
export const lostRows = Effect.fnUntraced(function* (
  tables: ReadonlyArray<Table>,
  unreadable: ReadonlyArray<string>,
) {
  const warehouse = yield* Warehouse
  const stored = tables.flatMap(storedTables)
  const read = stored.map(
    (table) => `select ${literal(tableName(table))} as name, _response_id from ${tableName(table)}`,
  )
  const ended = stored.flatMap((table) =>
    endColumns(table).map(
      (column) => `select ${literal(tableName(table))} as name, r.response_id as _response_id
       from ${tableName(table)} t join unreadable r on r.received_at = t.${column}`,
    ),
  )
  const lost = yield* warehouse.rows(
    `with unreadable as (
       from raw.responses where list_contains(from_json($1, '["VARCHAR"]'), response_id))
     select name as table, count(*)::double as rows from (${[...read, ...ended].join(" union all ")}) t
     where _response_id is not null and (
       not exists (from raw.responses r where r.response_id = t._response_id and r.is_landed)
       or _response_id in (select response_id from unreadable))
     group by name order by name`,
    [JSON.stringify(unreadable)],
  )
  return lost.map(decodeRow({ table: text("table"), rows: number("rows") }))
})

/**
 * The rows of `tables` that were read from one of these responses, or ended with it, and that the tables in `rebuiltDir` lack or
 * have of other responses only; one record for each, with the response.
 */
export const rowsMissing = Effect.fnUntraced(function* (
  tables: ReadonlyArray<Table>,
  responseIds: ReadonlyArray<string>,
  rebuiltDir: string,
) {
  const warehouse = yield* Warehouse
  const missing = tables.flatMap((table) => {
    const keyOf = `${identifiers(table.key)}, r.response_id`
    const of = (catalog: string, stored: Table, column: string, ofResponse: string): string =>
      `SELECT ${keyOf} FROM ${inCatalog(catalog, stored)} t JOIN named r ON r.${ofResponse} = t.${column}`
    // A row may be superseded in one of them, and not in the other.
    const read = (catalog: string): string =>
      storedTables(table)
        .map((stored) => of(catalog, stored, "_response_id", "response_id"))
        .join(" UNION ALL ")
    const name = literal(tableName(table))
    return [
      `SELECT ${name} AS name, response_id FROM ((${read(CATALOG)}) EXCEPT (${read(OTHER)}))`,
      ...storedTables(table).flatMap((stored) =>
        endColumns(stored).map((column) => {
          const [here, there] = [CATALOG, OTHER].map((catalog) =>
            of(catalog, stored, column, "received_at"),
          )
          return `SELECT ${name} AS name, response_id FROM ((${here}) EXCEPT (${there}))`
        }),
      ),
    ]
  })
  if (missing.length === 0 || responseIds.length === 0) return []
  const rows = yield* withAttached(
    rebuiltDir,
    warehouse.rows(
      `WITH named AS (
         FROM ${CATALOG}.raw.responses WHERE list_contains(from_json($1, '["VARCHAR"]'), response_id))
       ${missing.join(" UNION ALL ")}`,
      [JSON.stringify(responseIds)],
    ),
  )
  return rows.map(decodeRow({ table: text("name"), responseId: text("response_id") }))
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
