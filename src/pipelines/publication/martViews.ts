// The views of schema mart in the writer's file, for what reads them there.
import * as Effect from "effect/Effect"
import { LoadError } from "../../load/errors.ts"
import { CATALOG } from "../../load/sql.ts"
import { Warehouse } from "../../load/Warehouse.ts"

/** Also makes them what this version says, where an earlier one made them. */
export const createMartViews = Effect.gen(function* () {
  // Reads the SQL files when first needed, which most commands never do.
  const { createMarts } = yield* Effect.tryPromise({
    try: () => import("../../load/createMarts.ts"),
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
