// Sets in history tables (`Table.setKey`: the protocols of a day): what a newer reading of a set leaves out is
// gone, and moves to the versions; not where that reading says it may lack members (`Rows.isPart`).
import type { DuckDBConnection } from "@duckdb/node-api"
import { allColumns, versionsOf } from "../domain/table.ts"
import { monthOf, sameKey, withinBounds } from "./matching.ts"
import type { Staged } from "./stage.ts"
import { identifier, identifiers, qualified } from "./sql.ts"

/** How many rows of a batch's sets were gone, by the month of their event time (`YYYY-MM`). */
export interface Removed {
  readonly batch: number
  readonly month: string
  readonly rows: number
}

/** Whether two batches have the same set: they must take effect one after the other. */
export const haveRepeatedSets = async (
  connection: DuckDBConnection,
  { table, rowsOfBatch, source, emptySets, isFresh }: Staged,
): Promise<boolean> => {
  const { setKey } = table
  // Fresh pages have no times in common.
  if (setKey === undefined || isFresh || rowsOfBatch.size < 2) return false
  const columns = `${identifiers(setKey)}, _batch`
  const empty = emptySets === undefined ? "" : `UNION ALL SELECT ${columns} FROM (${emptySets})`
  const found = await connection.runAndReadAll(`
    SELECT 1 FROM (SELECT DISTINCT ${columns} FROM (${source}) ${empty})
    GROUP BY ${identifiers(setKey)} HAVING count(DISTINCT _batch) > 1 LIMIT 1`)
  return found.currentRowCount > 0
}

/**
 * Moves to the versions what is stored of the sets in `merged` and is not among them, as of when the set was
 * read; `now` for rows that no response gave. A set of which any page is a part loses nobody.
 */
export const removeAbsent = async (
  connection: DuckDBConnection,
  staged: Staged,
  batch: number | undefined,
  now: string,
): Promise<ReadonlyArray<Removed>> => {
  const { table, emptySets } = staged
  if (table.setKey === undefined || staged.isFresh) return []
  const target = qualified(table)
  const set = identifiers(table.setKey)
  const ofBatch = batch === undefined ? "" : `WHERE _batch = ${batch}`
  const columns = `${set}, _batch, _run_id, _observed_at, _is_part`
  const empty =
    emptySets === undefined ? "" : `UNION ALL SELECT ${columns} FROM (${emptySets}) ${ofBatch}`
  const sameSet = table.setKey
    .map((name) => `t.${identifier(name)} = s.${identifier(name)}`)
    .join(" AND ")
  await connection.run(`CREATE OR REPLACE TEMP TABLE absent AS
    WITH s AS (SELECT ${set}, any_value(_batch) AS _batch, any_value(_run_id) AS _by,
        coalesce(max(_observed_at), ${now}) AS _at
      FROM (SELECT ${columns} FROM temp.main.merged ${empty}) GROUP BY ${set} HAVING NOT bool_or(_is_part))
    SELECT t.*, s._batch, s._by, s._at FROM ${target} t JOIN s ON ${sameSet}
    WHERE ${withinBounds(staged, "t")} AND t._updated_at < s._at
      AND NOT EXISTS (SELECT 1 FROM temp.main.merged m WHERE ${sameKey(table, "m", "t")})`)
  const found = await connection.runAndReadAll(`
    SELECT _batch, strftime(${monthOf(table, "a")}, '%Y-%m'), count(*)::DOUBLE
    FROM temp.main.absent a GROUP BY ALL`)
  const removed = (found.getRows() as Array<[number, string, number]>).map(
    ([of, month, rows]): Removed => ({ batch: of, month, rows }),
  )
  if (removed.length === 0) return []
  const names = identifiers(allColumns(table).map(({ name }) => name))
  await connection.run(
    `INSERT INTO ${qualified(versionsOf(table))} (${names}, _superseded_at, _superseded_by_run_id)
     SELECT ${names}, _at, _by FROM temp.main.absent`,
  )
  await connection.run(
    `DELETE FROM ${target} t USING temp.main.absent a
     WHERE ${sameKey(table, "t", "a")} AND ${withinBounds(staged, "t")}`,
  )
  return removed
}
