// The warehouse that the settings name, as a layer that creates it if it is missing, or that fails then.
import { relative, resolve, sep } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { lakeCatalogOf } from "../../config/secrets/secretUrl.ts"
import { objectStoreAccess } from "../../config/environment/objectStoreAccess.ts"
import type { Settings } from "../../config/settings/settings.ts"
import { isInObjectStore } from "../../domain/stores/objectStore.ts"
import { databaseError, LoadError } from "../../load/errors.ts"
import { storageOf as storageIn } from "../../load/storage/storageOf.ts"
import { Warehouse, type WarehouseOptions } from "../../load/Warehouse.ts"
import { coreTables } from "../pipelines.ts"
import { noUnfinishedRestore } from "./unfinishedRestore.ts"

/** Where the warehouse is; without `warehouse`, it is the file in `dataDir`. */
export type Place = Pick<Settings, "dataDir"> &
  Partial<Pick<Settings, "warehouse" | "archive" | "memoryLimit">> & {
    readonly lake?: Partial<Settings["lake"]>
  }

/** Picks the place from options or settings with more fields. */
export const placeOf = ({
  dataDir,
  warehouse: storage,
  lake,
  archive,
  memoryLimit,
}: Place): Place => ({
  dataDir,
  ...(storage === undefined ? {} : { warehouse: storage }),
  ...(lake === undefined ? {} : { lake }),
  ...(archive === undefined ? {} : { archive }),
  ...(memoryLimit === undefined ? {} : { memoryLimit }),
})

/** The database with the lake's catalog. Fails if the variable with its address is not set. */
export const lakeCatalog = (lake: Exclude<Settings["warehouse"], "file">) =>
  Effect.mapError(
    Effect.fromResult(lakeCatalogOf(lake)),
    (why) =>
      new LoadError({
        reason: "Files",
        what: "The setting warehouse",
        why,
        advice: "Set it where vaulthouse runs.",
      }),
  )

/** `vaulthouse maintain` deletes every Parquet file in the lake's folder that is not of the lake. */
const mustHoldNothingElse = (shown: string, dataDir: string, data: string) => {
  const published = resolve(dataDir, "parquet")
  const isInside = !relative(data, published).split(sep).includes("..")
  if (isInObjectStore(data) || !isInside) return Effect.void
  return new LoadError({
    reason: "Files",
    what: `The lake ${shown} can't be opened`,
    why: `lake.data is ${data}, and ${published} is in it, whose Parquet files \`vaulthouse maintain\` would delete`,
    advice: "Set lake.data to a folder of its own, such as `lake` of the data directory.",
  })
}

/** The file or the lake; opens nothing yet. Fails like `lakeCatalog`, and where the lake's files would lie among others. */
export const storageOf = Effect.fnUntraced(function* ({
  dataDir,
  warehouse = "file",
  lake,
}: Place) {
  const options =
    warehouse === "file"
      ? undefined
      : {
          catalog: yield* lakeCatalog(warehouse),
          data: lake?.data,
          extensions: lake?.extensions,
          objectStore: objectStoreAccess,
        }
  if (options?.data !== undefined) {
    yield* mustHoldNothingElse(options.catalog.shown, dataDir, options.data)
  }
  return yield* Effect.promise(() => storageIn(dataDir, options))
})

type Options = Place &
  Omit<WarehouseOptions, "storage" | "tables" | "memoryLimit"> &
  Partial<Pick<WarehouseOptions, "tables">>

/** Creates the warehouse if there is none, unless half of a backup is there. */
export const openWarehouse = (options: Options) =>
  Layer.unwrap(
    Effect.gen(function* () {
      yield* noUnfinishedRestore(options.dataDir)
      const storage = yield* storageOf(options)
      return Warehouse.layer({ tables: coreTables, ...options, storage })
    }),
  )

/** Fails if there is none, so that a mistyped place does not create one. `what` begins the message. */
export const existingWarehouse = (what: string, options: Options) =>
  Layer.unwrap(
    Effect.gen(function* () {
      if (!(yield* warehouseExists(options))) return yield* noWarehouse(what, options)
      return openWarehouse(options)
    }),
  )

export const warehouseExists = Effect.fnUntraced(function* (place: Place) {
  const storage = yield* storageOf(place)
  return yield* Effect.tryPromise({
    try: () => storage.exists(),
    catch: (cause) => databaseError(`Looking for the warehouse in ${storage.shown}`, cause),
  })
})

export const noWarehouse = Effect.fnUntraced(function* (what: string, place: Place) {
  const { shown } = yield* storageOf(place)
  return yield* new LoadError({
    reason: "Files",
    what,
    why: `there is no warehouse in ${shown}`,
    advice: "Check --data-dir and --warehouse, or run `vaulthouse sync` first.",
  })
})
