// Whether the publication is out of date.
import { existsSync } from "node:fs"
import * as Effect from "effect/Effect"
import type { LoadError } from "./errors.ts"
import { manifestFile } from "./manifest.ts"
import type { Publishing } from "./publish.ts"
import { publishedFile } from "./PublishedCopy.ts"
import { readCurrent, unfinished } from "./publishedFiles.ts"
import { CATALOG } from "./sql.ts"
import { Warehouse } from "./Warehouse.ts"

/** SQL of one row with a fingerprint of what is news to readers: facts, gaps, quarantine, drift and checks. */
export const contentOf = `
  SELECT coalesce(md5(string_agg(
    concat_ws(' ', table_schema, table_name, month, epoch_us(changed_at)), ','
    ORDER BY table_schema, table_name, month)), '') AS content
  FROM ${CATALOG}.ops.partition_changes
  WHERE table_schema = 'core' OR (table_schema = 'ops'
    AND table_name IN ('gaps', 'quarantine', 'schema_drift', 'check_results'))`

/**
 * Whether readers would find anything new: facts, gaps, quarantine or drift changed since the last publication, it was
 * not completed, its definition has changed, or its files are missing. Tasks, cursors and archived responses alone are
 * not news.
 */
export const changedSincePublication = ({
  definition,
  parquet,
}: Publishing): Effect.Effect<boolean, LoadError, Warehouse> =>
  Effect.gen(function* () {
    const warehouse = yield* Warehouse
    const { dataDir } = warehouse
    const current = yield* Effect.promise(() => readCurrent(dataDir))
    if (current?.definition !== definition) return true
    if (!existsSync(publishedFile(dataDir)) || existsSync(unfinished(dataDir))) return true
    if (existsSync(manifestFile(dataDir)) !== (parquet !== undefined)) return true
    // Views recorded by another version of DuckDB could not be verified.
    const [state] = yield* warehouse.rows(
      `SELECT library_version AS version, (${contentOf}) AS content FROM pragma_version()`,
    )
    return current.duckdb !== state?.["version"] || current.content !== state["content"]
  })
