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

/** The folder of the Parquet files that are published. */
export const publishedParquet = (dataDir: string): string => resolve(dataDir, "parquet")

/** Whether the folder has, or would have, the Parquet files that are published from the lake: it must have the lake's alone. */
const holdsPublished = (data: string, dataDir: string): boolean =>
  !isInObjectStore(data) && !relative(data, publishedParquet(dataDir)).split(sep).includes("..")

/** The file or the lake; opens nothing yet. Fails like `lakeCatalog`, and where a lake would be made among other files. */
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
  const storage = yield* Effect.promise(() => storageIn(dataDir, options))
  if (options?.data === undefined || !holdsPublished(options.data, dataDir)) return storage
  // One that is there opens, so that it can be moved; where that can't be found out, opening it says why.
  const isThere = yield* Effect.orElseSucceed(
    Effect.tryPromise(() => storage.exists()),
    () => true,
  )
  if (isThere) return storage
  return yield* new LoadError({
    reason: "Files",
    what: `The lake ${options.catalog.shown} can't be made`,
    why: `lake.data is ${options.data}, and ${publishedParquet(dataDir)} is in it, whose Parquet files \`vaulthouse maintain\` would delete`,
    advice: "Set lake.data to a folder of its own, such as `lake` of the data directory.",
  })
})

type Options = Place &
  Omit<WarehouseOptions, "storage" | "tables" | "memoryLimit"> &
  Partial<Pick<WarehouseOptions, "tables">>

/** Creates the warehouse if there is none, unless half of a backup is there. */
export const openWarehouse = (options: Options) =>
  Layer.unwrap(
    Effect.map(storageOf(options), (storage) =>
      Warehouse.layer({ tables: coreTables, ...options, storage }),
    ),
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
