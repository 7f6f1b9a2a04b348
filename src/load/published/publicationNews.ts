// Whether the publication is out of date.
import { existsSync } from "node:fs"
import * as Effect from "effect/Effect"
import type { LoadError } from "../errors.ts"
import { manifestFile } from "./parquet/manifest.ts"
import type { PublishOptions } from "./publish.ts"
import { publishedFile } from "./read/PublishedCopy.ts"
import { publicationState, publicationStateSql } from "./publicationState.ts"
import { readCurrent, unfinished } from "./publishedFiles.ts"
import { Warehouse } from "../Warehouse.ts"

/**
 * Whether readers would find anything new: facts, gaps, quarantine or drift changed since the last publication, it was
 * not completed, its definition has changed, or its files are missing. Tasks, cursors and archived responses alone are
 * not news.
 */
export const changedSincePublication = (
  options: PublishOptions,
): Effect.Effect<boolean, LoadError, Warehouse> =>
  Effect.gen(function* () {
    const warehouse = yield* Warehouse
    const { dataDir } = warehouse
    const current = yield* Effect.promise(() => readCurrent(dataDir))
    if (current === undefined) return true
    if (!existsSync(publishedFile(dataDir)) || existsSync(unfinished(dataDir))) return true
    if (existsSync(manifestFile(dataDir)) !== (options.parquet !== undefined)) return true
    const [row] = yield* warehouse.rows(publicationStateSql())
    const state = publicationState(row, options)
    return (
      current.content !== state.content ||
      current.definition !== state.definition ||
      current.duckdb !== state.duckdb
    )
  })
