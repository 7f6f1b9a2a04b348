// Retires stored rows that are missing from a reading of their set (its merge key): in a slowly changing table their
// `valid_to` is set, in a history they move to the versions. All of a group in one statement a table, since one an
// entity cost two seconds of a run that reads everything again.
import type { DuckDBConnection } from "@duckdb/node-api"
import { allColumns, versionsOf } from "../domain/table.ts"
import { CLASSIFIED } from "./classify.ts"
import { monthOf, sameKey, withinBounds } from "./matching.ts"
import {
  fillTemporary,
  STAGED,
  STAGED_EMPTY_SETS,
  type Staged,
  type StagedMergeKey,
  storedColumns,
} from "./stage.ts"
import { identifier, identifiers, qualified } from "./sql.ts"

/** How many rows a batch retired, by the month of their event time (`YYYY-MM`, `-` for a table without). */
export interface Retired {
  readonly batch: number
  readonly month: string
  readonly rows: number
}

/** Whether two batches hold the same merge key: they must take effect one after the other. */
export const haveRepeatedMergeKeys = async (
  connection: DuckDBConnection,
  { table, rowsOfBatch, mergeKeys, hasEmptySets }: Staged,
): Promise<boolean> => {
  const different = new Set(mergeKeys.map(({ values }) => JSON.stringify(values)))
  if (different.size < mergeKeys.length) return true
  if (table.mergeKey === undefined || rowsOfBatch.size < 2) return false
  const columns = `${identifiers(table.mergeKey)}, _batch`
  const empty = hasEmptySets ? `UNION ALL SELECT ${columns} FROM ${STAGED_EMPTY_SETS}` : ""
  const found = await connection.runAndReadAll(`
    SELECT 1 FROM (SELECT DISTINCT ${columns} FROM ${STAGED} ${empty})
    GROUP BY ${identifiers(table.mergeKey)} HAVING count(DISTINCT _batch) > 1 LIMIT 1`)
  return found.currentRowCount > 0
}

/** After the rows of the batch, or of all batches, are classified; `now` is for rows that no response gave. */
export const retireAbsent = async (
  connection: DuckDBConnection,
  staged: Staged,
  batch: number | undefined,
  now: string,
): Promise<ReadonlyArray<Retired>> => {
  if (staged.table.mergeKey !== undefined) {
    return moveAbsentToVersions(connection, staged, staged.table.mergeKey, batch, now)
  }
  const mergeKeys = staged.mergeKeys.filter((each) => batch === undefined || each.batch === batch)
  const retired: Array<Retired> = []
  for (const alike of Map.groupBy(mergeKeys, columnsOf).values()) {
    retired.push(...(await endAbsent(connection, staged, alike, now)))
  }
  return retired
}

const columnsOf = ({ values }: StagedMergeKey): string => JSON.stringify(Object.keys(values))

/** Of merge keys with the same columns, in a slowly changing table. */
const endAbsent = async (
  connection: DuckDBConnection,
  { table }: Staged,
  mergeKeys: ReadonlyArray<StagedMergeKey>,
  now: string,
): Promise<ReadonlyArray<Retired>> => {
  const columns = table.columns.filter(({ name }) => name in (mergeKeys[0]?.values ?? {}))
  await fillTemporary(
    connection,
    "staged_merge_keys",
    [["_batch", "INTEGER"], ["_observed_at", "TIMESTAMP"], ...storedColumns(columns)],
    mergeKeys.map(({ batch, observedAt, values }) => ({
      length: 1,
      columns: [batch, observedAt ?? null, ...columns.map(({ name }) => values[name] ?? null)],
    })),
  )
  const sameEntity = columns.map(
    ({ name }) => `t.${identifier(name)} IS NOT DISTINCT FROM k.${identifier(name)}`,
  )
  const key = identifiers(table.key, "t")
  const found = await connection.runAndReadAll(`CREATE OR REPLACE TEMP TABLE retired AS
    SELECT ${key}, k._batch, coalesce(k._observed_at, ${now}) AS _at
    FROM ${qualified(table)} t
    JOIN temp.main.staged_merge_keys k ON ${["t.is_current", ...sameEntity].join(" AND ")}
    ANTI JOIN ${STAGED} s ON s._batch = k._batch AND ${sameKey(table, "s", "t")}
    WHERE t.valid_from < coalesce(k._observed_at, ${now})
    QUALIFY row_number() OVER (PARTITION BY ${key} ORDER BY k.rowid) = 1;
    SELECT _batch, count(*)::DOUBLE FROM temp.main.retired GROUP BY _batch`)
  const retired = (found.getRows() as Array<[number, number]>).map(([batch, rows]): Retired => ({
    batch,
    month: "-",
    rows,
  }))
  if (retired.length > 0) {
    await connection.run(
      `UPDATE ${qualified(table)} t SET valid_to = r._at, is_current = false
       FROM temp.main.retired r WHERE t.is_current AND ${sameKey(table, "t", "r")}`,
    )
  }
  return retired
}

/** As of when the set was read. A set of which any page is a part retires none. */
const moveAbsentToVersions = async (
  connection: DuckDBConnection,
  staged: Staged,
  mergeKey: ReadonlyArray<string>,
  batch: number | undefined,
  now: string,
): Promise<ReadonlyArray<Retired>> => {
  const { table, hasEmptySets } = staged
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
      FROM (SELECT ${columns} FROM ${CLASSIFIED} ${empty}) GROUP BY ${set} HAVING NOT bool_or(_is_partial))
    SELECT t.*, s._batch, s._by, s._at FROM ${target} t JOIN s ON ${sameSet}
    WHERE ${withinBounds(staged, "t")} AND t._updated_at < s._at
      AND NOT EXISTS (SELECT 1 FROM ${CLASSIFIED} m WHERE ${sameKey(table, "m", "t")});
    SELECT _batch, strftime(${monthOf(table, "a")}, '%Y-%m'), count(*)::DOUBLE
    FROM temp.main.absent a GROUP BY ALL`)
  const retired = (found.getRows() as Array<[number, string, number]>).map(
    ([of, month, rows]): Retired => ({ batch: of, month, rows }),
  )
  if (retired.length === 0) return []
  const names = identifiers(allColumns(table).map(({ name }) => name))
  await connection.run(
    `INSERT INTO ${qualified(versionsOf(table))} (${names}, _superseded_at, _superseded_by_run_id)
     SELECT ${names}, _at, _by FROM temp.main.absent`,
  )
  await connection.run(
    `DELETE FROM ${target} t USING temp.main.absent a
     WHERE ${sameKey(table, "t", "a")} AND ${withinBounds(staged, "t")}`,
  )
  return retired
}
