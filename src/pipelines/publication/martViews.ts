// The views of schema mart in the writer's warehouse, for what reads them there. A file of its own, because a run, a
// publication, a check and a move each begin with it.
import * as Effect from "effect/Effect"
import { createMarts } from "../../load/marts/createMarts.ts"
import { Warehouse } from "../../load/Warehouse.ts"

/** Creates the views that are missing, and replaces those of an earlier version. */
export const createMartViews = Effect.flatMap(Warehouse, (warehouse) =>
  warehouse.exclusively("Creating the marts", (session) => createMarts(session, warehouse.tables)),
)
