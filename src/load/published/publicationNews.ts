// Whether the publication is out of date.
import { existsSync } from "node:fs"
import * as Effect from "effect/Effect"
import type { LoadError } from "../errors.ts"
import { manifestFile } from "./parquet/manifest.ts"
import type { Publishing } from "./publish.ts"
import { publishedFile } from "./read/PublishedCopy.ts"
import { contentOf } from "./publishedContent.ts"
import { readCurrent, unfinished } from "./publishedFiles.ts"
import { Warehouse } from "../Warehouse.ts"

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
