// The warehouse for commands that need an existing one: a mistyped folder is an error, and not made a warehouse.
import { existsSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { databaseFile } from "../../load/database.ts"
import { LoadError } from "../../load/errors.ts"
import { Warehouse, type WarehouseOptions } from "../../load/Warehouse.ts"
import { coreTables } from "../../transform/tables/index.ts"

type Options = Omit<WarehouseOptions, "tables">

/** `what` is done with it, for the message. */
export const existingWarehouse = (what: string, options: Options) =>
  Layer.unwrap(
    Effect.suspend(() =>
      existsSync(databaseFile(options.dataDir))
        ? Effect.succeed(Warehouse.layer({ ...options, tables: coreTables }))
        : Effect.fail(noWarehouse(what, options.dataDir)),
    ),
  )

export const noWarehouse = (what: string, dataDir: string): LoadError =>
  new LoadError({
    reason: "Files",
    what,
    why: `there is no warehouse in ${dataDir}`,
    advice: "Name its folder with --data-dir, or run `vaulthouse sync` first.",
  })
