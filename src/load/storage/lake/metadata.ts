// What vaulthouse reads of DuckLake's own tables in PostgreSQL.

/** Schema of DuckLake's own tables. */
export const METADATA_SCHEMA = "vaulthouse_lake"

/** Of the transactions that vaulthouse notes something on. */
export const AUTHOR = "vaulthouse"

/** Row ids are given to each row that is ever stored. */
export const ROW_COUNTS = `
  SELECT s.schema_name || '.' || t.table_name AS name,
    coalesce(stats.next_row_id, 0)::float8 AS row_count
  FROM ${METADATA_SCHEMA}.ducklake_table t
  JOIN ${METADATA_SCHEMA}.ducklake_schema s USING (schema_id)
  LEFT JOIN ${METADATA_SCHEMA}.ducklake_table_stats stats USING (table_id)
  WHERE t.end_snapshot IS NULL AND s.end_snapshot IS NULL`

/** The newest snapshot, and the time of snapshot $1, if that is there. */
export const NEWEST = `
  SELECT newest.snapshot_id::text AS id, newest.snapshot_time::text AS time, known.snapshot_time::text AS known,
    extract(epoch FROM greatest(clock_timestamp(),
      (SELECT max(snapshot_time) FROM ${METADATA_SCHEMA}.ducklake_snapshot)))::float8 AS now
  FROM (SELECT * FROM ${METADATA_SCHEMA}.ducklake_snapshot ORDER BY snapshot_id DESC LIMIT 1) newest
  LEFT JOIN ${METADATA_SCHEMA}.ducklake_snapshot known ON known.snapshot_id = $1::bigint`

/** What each transaction after $1 has noted; none of one that is not vaulthouse's. */
export const NOTES = `
  SELECT CASE WHEN author = '${AUTHOR}' THEN commit_extra_info END AS note
  FROM ${METADATA_SCHEMA}.ducklake_snapshot_changes WHERE snapshot_id > $1::bigint ORDER BY snapshot_id`
