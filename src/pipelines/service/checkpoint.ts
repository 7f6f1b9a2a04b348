// Writes everything committed into the database file itself.
import * as Effect from "effect/Effect"
import { Warehouse } from "../../load/Warehouse.ts"

export const checkpoint = Effect.flatMap(Warehouse, (warehouse) =>
  warehouse.exclusively("Writing the warehouse to disk", (session) => session.checkpoint()),
)
