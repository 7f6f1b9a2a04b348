// What a publication is about, as a fingerprint: where it differs, readers would find something new.
import { CATALOG } from "../sql/sql.ts"

/** SQL of one row with a fingerprint of what is news to readers: facts, gaps, quarantine, drift and checks. */
export const contentOf = `
  SELECT coalesce(md5(string_agg(
    concat_ws(' ', table_schema, table_name, month, epoch_us(changed_at)), ','
    ORDER BY table_schema, table_name, month)), '') AS content
  FROM ${CATALOG}.ops.partition_changes
  WHERE table_schema = 'core' OR (table_schema = 'ops'
    AND table_name IN ('gaps', 'quarantine', 'schema_drift', 'check_results'))`
