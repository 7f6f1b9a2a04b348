// The readers' copies of what a run left: marts, Parquet and the published database.
import * as Effect from "effect/Effect"
import { LoadError } from "../load/errors.ts"
import { changedSincePublication, publish, type PublishOptions } from "../load/publish.ts"
import { CATALOG } from "../load/sql.ts"
import { Warehouse } from "../load/Warehouse.ts"
import type { OnProgress } from "./progress.ts"

export type { PublishOptions } from "../load/publish.ts"

/**
 * Publishes when readers would find anything new; `true` when it did. A run without news leaves the
 * copies alone, so that its cost does not grow with history.
 */
export const publishNews = Effect.fnUntraced(function* (
  options: PublishOptions,
  onProgress: OnProgress,
) {
  if (!(yield* changedSincePublication)) return false
  onProgress({ kind: "stage", stage: "publishing" })
  yield* createMartViews
  yield* publish(options)
  return true
})

/** Also makes them what this version says, where an earlier one made them. */
export const createMartViews = Effect.gen(function* () {
  // Reads the SQL files when first needed, which most commands never do.
  const { createMarts } = yield* Effect.tryPromise({
    try: () => import("../load/marts.ts"),
    catch: (cause) =>
      new LoadError({
        reason: "Files",
        what: "Reading the marts in warehouse/marts",
        why: cause instanceof Error ? cause.message : String(cause),
        advice: "Mend the file it names.",
        cause,
      }),
  })
  const warehouse = yield* Warehouse
  yield* warehouse.exclusively("Creating the marts", ({ connection }) =>
    createMarts(connection, CATALOG, warehouse.tables),
  )
})
