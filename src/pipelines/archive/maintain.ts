// Maintenance of a lake, by one process while writers wait (docs/lake.md): retention, as a run does it for a file, then what only
// a lake needs. A file needs none: every run prunes and checkpoints it.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { defaultSettings, type Settings } from "../../config/settings/settings.ts"
import { microsFromMillis } from "../../domain/values/time.ts"
import { maintainLake } from "../../load/storage/lake/maintainLake.ts"
import { forgetTasks } from "../../load/state/oldRecords.ts"
import { Warehouse } from "../../load/Warehouse.ts"
import {
  existingWarehouse,
  type Place,
  placeOf,
  publishedParquet,
} from "../publication/warehouse.ts"
import { monthsToKeep } from "../retention/keepInOrder.ts"
import { agesOf, oldRecords, pruneBefore } from "../retention/pruneBefore.ts"
import { hasNoOthers } from "../run/endDeadRuns.ts"

const MAINTAINING = "Maintaining the lake"

export interface Retained {
  /** Tasks and results of checks. */
  readonly recordsDropped: number
  /** `undefined` where they could not be looked for. */
  readonly responsesDropped: number | undefined
}

/** `undefined` for a warehouse in a file. */
export const maintain = (place: Maintained) =>
  place.warehouse === "file"
    ? Effect.succeed(undefined)
    : Effect.gen(function* () {
        const retained = yield* retain(place)
        const { exclusively } = yield* Warehouse
        const maintained = yield* exclusively(MAINTAINING, (session) =>
          maintainLake(
            session,
            place.lake?.keepDays ?? defaultSettings.lake.keepDays,
            publishedParquet(place.dataDir),
          ),
        )
        return { ...retained, ...maintained }
      }).pipe(Effect.provide(inLake(place)))

type Maintained = Place & Pick<Settings, "warehouse" | "keepDays">

/** The lake for `maintain`, beside whatever else writes it. */
export const inLake = (place: Maintained) =>
  existingWarehouse(MAINTAINING, { ...placeOf(place), runId: "maintain", sharesDataDir: true })

/**
 * Removes the months older than `keepDays` of what nothing needs. Responses only while no other process has the lake open, since
 * its run may know a body by the place that it then leaves, and only of an archive that all machines share.
 */
export const retain = Effect.fnUntraced(function* (place: Maintained) {
  const now = microsFromMillis(yield* Clock.currentTimeMillis)
  const before = monthsToKeep(now, place.keepDays)
  const recordsDropped = yield* oldRecords(agesOf(before, now))
  if (recordsDropped === 0) return { recordsDropped, responsesDropped: 0 } satisfies Retained
  if (place.archive !== undefined && (yield* hasNoOthers(place))) {
    const { finish } = yield* pruneBefore(place, before, false)
    return { recordsDropped, responsesDropped: (yield* finish).dropped } satisfies Retained
  }
  yield* forgetTasks
  return { recordsDropped, responsesDropped: undefined } satisfies Retained
})
