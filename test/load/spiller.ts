// Writes more than fits into memory until a test kills it: node test/load/spiller.ts DATA_DIR
import * as Effect from "effect/Effect"
import { Warehouse } from "../../src/load/Warehouse.ts"
import { inWarehouse } from "./sample.ts"

const [dataDir = ""] = process.argv.slice(2)

const spill = Effect.flatMap(Warehouse, ({ execute }) =>
  execute(["CREATE TEMP TABLE large AS SELECT random() AS value FROM range(20_000_000)"]),
)

await Effect.runPromise(
  inWarehouse(dataDir, Effect.andThen(spill, Effect.never), { memoryLimit: "64MB" }),
)
