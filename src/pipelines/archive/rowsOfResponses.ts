// Which stored rows were read from which responses.
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import { storedTables, type Table, tableName } from "../../domain/table/table.ts"
import { decodeRow, number, text } from "../../load/duckdb/decodeRow.ts"
import { CATALOG, identifiers, inCatalog, literal } from "../../load/sql/sql.ts"
import { endColumns } from "../../load/state/neededResponses.ts"
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

/** Ids in one statement: DuckDB holds its parameter in memory, and years of readings of an empty queue are many. */
const IDS_AT_ONCE = 20_000

/**
 * How many rows that were read from one of its `named` responses (ids), or ended with it, each table lacks in `rebuiltDir`; one
 * record for each response. A key with as many rows there lacks nothing: an earlier response may have them now. Nor do keys
 * that changed: the response has as many new ones.
 */
export const rowsMissing = Effect.fnUntraced(function* (
  named: ReadonlyMap<Table, ReadonlyArray<string>>,
  rebuiltDir: string,
) {
  if (named.size === 0) return []
  const warehouse = yield* Warehouse
  const parts = [...named].flatMap(([table, ids]) =>
    Arr.chunksOf(ids, IDS_AT_ONCE).map((some) => [table, some] as const),
  )
  const found = yield* withAttached(
    rebuiltDir,
    Effect.forEach(parts, ([table, ids]) =>
      warehouse.rows(missingIn(table), [JSON.stringify(ids)]),
    ),
  )
  return found
    .flat()
    .map(decodeRow({ table: text("name"), responseId: text("response_id"), rows: number("rows") }))
})

/** SQL: what a table lacks of the responses whose ids are $1, a JSON list. */
const missingIn = (table: Table): string => {
  const missing = [
    // A row may be superseded in one of them, and not in the other.
    missingOf(table, storedTables(table), "_response_id", "named_id"),
    ...storedTables(table).flatMap((stored) =>
      endColumns(stored).map((column) => missingOf(table, [stored], column, "named_at")),
    ),
  ]
  return `WITH named AS (
      SELECT response_id AS named_id, received_at AS named_at
      FROM ${CATALOG}.raw.responses WHERE response_id IN (SELECT unnest(from_json($1, '["VARCHAR"]'))))
    ${missing.join(" UNION ALL ")}`
}

/** SQL: the rows of `stored` whose `column` names a response by its column `by`. */
const missingOf = (
  table: Table,
  stored: ReadonlyArray<Table>,
  column: string,
  by: string,
): string => {
  const key = identifiers(table.key)
  const name = literal(tableName(table))
  const all = (catalog: string): string =>
    stored
      .map((each) => `SELECT ${key}, ${column} AS mark FROM ${inCatalog(catalog, each)}`)
      .join(" UNION ALL ")
  const named = (rows: string): string =>
    `SELECT ${key}, named_id FROM ${rows} JOIN named ON ${by} = mark`
  return `(WITH here AS (FROM (${all(CATALOG)}) WHERE mark IS NOT NULL),
    there AS (FROM (${all(OTHER)}) WHERE mark IS NOT NULL),
    missing AS (${named("here")} EXCEPT ${named("there")}),
    fewer AS (
      SELECT ${key} FROM (
        SELECT ${key}, 1 AS n FROM here SEMI JOIN missing USING (${key})
        UNION ALL SELECT ${key}, -1 AS n FROM there SEMI JOIN missing USING (${key}))
      GROUP BY ALL HAVING sum(n) > 0),
    changed AS (
      SELECT named_id, 1 AS n FROM missing SEMI JOIN fewer USING (${key})
      UNION ALL SELECT named_id, -1 AS n FROM (${named("there")}) ANTI JOIN here USING (${key}))
    SELECT ${name} AS name, named_id AS response_id, sum(n)::DOUBLE AS rows FROM changed
    GROUP BY named_id HAVING sum(n) > 0)`
}

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
