// Retires stored rows of a history that are missing from a reading of their set (`Table.mergeKey`), and finds batches
// that must take effect one after the other. One statement per table retires the rows of a whole group: one per entity
// took two seconds of a run that reads everything again.
import type { DuckDBConnection } from "@duckdb/node-api"
import { invariant } from "../../../domain/invariant.ts"
import { allColumns, tableName, versionsOf } from "../../../domain/table/table.ts"
import { COMPARED } from "./compareWithStored.ts"
import { monthName, monthOf } from "../../tables/months.ts"
import { sameKey, withinBounds } from "./matching.ts"
import { STAGED, STAGED_EMPTY_SETS, type Staged, stagedMergeKeys } from "./stage.ts"
import { identifier, identifiers, qualified } from "../../sql/sql.ts"

/** How many rows a batch retired, by the month of their event time (`YYYY-MM`, `-` for a table without one). */
export interface Retired {
  readonly batch: number
  readonly month: string
  readonly rows: number
}

/**
 * Whether one batch holds a whole set and another batch rows of it, so that they must take effect one after the other.
 */
export const haveRepeatedMergeKeys = async (
  connection: DuckDBConnection,
  { table, rowsOfBatch, mergeKeys, mergeKeyShapes, hasEmptySets }: Staged,
): Promise<boolean> => {
  if (rowsOfBatch.size < 2) return false
  const different = new Set(mergeKeys.map(({ values }) => JSON.stringify(values)))
  if (different.size < mergeKeys.length) return true
  const withKey = new Set(mergeKeys.map(({ batch }) => batch))
  const areAlike = withKey.size === rowsOfBatch.size && mergeKeyShapes.length === 1
  if (mergeKeys.length > 0 && !areAlike) return holdOthersRows(connection, mergeKeyShapes)
  if (table.mergeKey === undefined) return false
  const columns = `${identifiers(table.mergeKey)}, _batch`
  const empty = hasEmptySets ? `UNION ALL SELECT ${columns} FROM ${STAGED_EMPTY_SETS}` : ""
  const found = await connection.runAndReadAll(`
    SELECT 1 FROM (SELECT DISTINCT ${columns} FROM ${STAGED} ${empty})
    GROUP BY ${identifiers(table.mergeKey)} HAVING count(DISTINCT _batch) > 1 LIMIT 1`)
  return found.currentRowCount > 0
}

const holdOthersRows = async (
  connection: DuckDBConnection,
  shapes: Staged["mergeKeyShapes"],
): Promise<boolean> => {
  const found = shapes.map((columns, shape) => {
    const same = columns.map(identifier).map((name) => `s.${name} IS NOT DISTINCT FROM k.${name}`)
    return `SELECT 1 FROM ${STAGED} s JOIN ${stagedMergeKeys(shape)} k
      ON ${["s._batch <> k._batch", ...same].join(" AND ")}`
  })
  return (await connection.runAndReadAll(found.join(" UNION ALL "))).currentRowCount > 0
}

/**
 * Moves stored rows of a history that are missing from their set to its versions, as of when the set was read. The rows of
 * the batch, or of all batches, must be classified. A set with a partial page retires none.
 */
export const retireAbsent = async (
  connection: DuckDBConnection,
  staged: Staged,
  batch: number | undefined,
  now: string,
): Promise<ReadonlyArray<Retired>> => {
  const { table, hasEmptySets } = staged
  const { mergeKey } = table
  if (mergeKey === undefined) return []
  const target = qualified(table)
  const set = identifiers(mergeKey)
  const ofBatch = batch === undefined ? "" : `WHERE _batch = ${batch}`
  const columns = `${set}, _batch, _run_id, _observed_at, _is_partial`
  const empty = hasEmptySets
    ? `UNION ALL SELECT ${columns} FROM ${STAGED_EMPTY_SETS} ${ofBatch}`
    : ""
  const sameSet = mergeKey
    .map((name) => `t.${identifier(name)} = s.${identifier(name)}`)
    .join(" AND ")
  const found = await connection.runAndReadAll(`CREATE OR REPLACE TEMP TABLE absent AS
    WITH s AS (SELECT ${set}, any_value(_batch) AS _batch, any_value(_run_id) AS _by,
        coalesce(max(_observed_at), ${now}) AS _at
      FROM (SELECT ${columns} FROM ${COMPARED} ${empty}) GROUP BY ${set} HAVING NOT bool_or(_is_partial))
    SELECT t.*, s._batch, s._by, s._at FROM ${target} t JOIN s ON ${sameSet}
    WHERE ${withinBounds(staged)} AND t._updated_at < s._at
      AND NOT EXISTS (SELECT 1 FROM ${COMPARED} m WHERE ${sameKey(table, "m", "t")});
    SELECT _batch, ${monthName(monthOf(table, "a"))}, count(*)::DOUBLE
    FROM temp.main.absent a GROUP BY ALL`)
  const retired = (found.getRows() as Array<[number, string, number]>).map(
    ([setBatch, month, rows]): Retired => ({ batch: setBatch, month, rows }),
  )
  if (retired.length === 0) return []
  const names = identifiers(allColumns(table).map(({ name }) => name))
  const kept = await connection.run(
    `INSERT INTO ${qualified(versionsOf(table))} (${names}, _superseded_at, _superseded_by_run_id)
     SELECT ${names}, _at, _by FROM temp.main.absent`,
  )
  const removed = await connection.run(
    `DELETE FROM ${target} t USING temp.main.absent a
     WHERE ${sameKey(table, "t", "a")} AND ${withinBounds(staged)}`,
  )
  const absent = retired.reduce((sum, { rows }) => sum + rows, 0)
  const areSame = kept.rowsChanged === absent && removed.rowsChanged === absent
  invariant(areSame, "each row that is retired is kept as a version", {
    table: tableName(table),
    absent,
    kept: kept.rowsChanged,
    removed: removed.rowsChanged,
  })
  return retired
}
