// Writes everything committed into the database file itself.
import * as Effect from "effect/Effect"
import { CATALOG } from "../../load/sql.ts"
import { Warehouse } from "../../load/Warehouse.ts"

export const checkpoint = Effect.flatMap(Warehouse, (warehouse) =>
  warehouse.exclusively("Writing the warehouse to disk", ({ connection }) =>
    connection.run(`CHECKPOINT ${CATALOG}`),
  ),
)
