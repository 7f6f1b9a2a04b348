// Maintenance of a lake, by one process while writers wait (docs/lake.md). A file needs none: every run checkpoints it.
import * as Effect from "effect/Effect"
import { defaultSettings, type Settings } from "../../config/settings/settings.ts"
import { maintainLake } from "../../load/storage/lake/maintainLake.ts"
import { Warehouse } from "../../load/Warehouse.ts"
import { existingWarehouse, type Place, placeOf } from "./warehouse.ts"

/** `undefined` for a warehouse in a file. */
export const maintain = (place: Place & Pick<Settings, "warehouse">) =>
  place.warehouse === "file"
    ? Effect.succeed(undefined)
    : Effect.provide(
        Effect.flatMap(Warehouse, ({ exclusively }) =>
          exclusively("Maintaining the lake", (session) =>
            maintainLake(session, place.lake?.keepDays ?? defaultSettings.lake.keepDays),
          ),
        ),
        existingWarehouse("Maintaining the lake", {
          ...placeOf(place),
          runId: "maintain",
          sharesDataDir: true,
        }),
      )
