// Applies retention at once and to the day, as a command of its own.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { microsFromMillis, MICROS_PER_DAY } from "../../domain/values/time.ts"
import { existingWarehouse, type Place, placeOf } from "../publication/warehouse.ts"
import { pruneBefore } from "../retention/pruneBefore.ts"
import { endAllRuns } from "../run/endDeadRuns.ts"

export type { PruneSummary } from "../retention/pruneBefore.ts"

export interface PruneOptions extends Place {
  readonly olderThanDays: number
  /** Only reports what would be dropped. */
  readonly dryRun: boolean
}

const PRUNING = "Pruning the archive"

export const prune = (options: PruneOptions) =>
  pruned(options).pipe(
    Effect.provide(existingWarehouse(PRUNING, { ...placeOf(options), runId: "prune" })),
  )

const pruned = Effect.fnUntraced(function* (options: PruneOptions) {
  // A run in progress may still commit references to the old segments.
  yield* endAllRuns(PRUNING, options)
  const now = microsFromMillis(yield* Clock.currentTimeMillis)
  const oldest = now - options.olderThanDays * MICROS_PER_DAY
  return yield* Effect.flatMap(pruneBefore(options, oldest, options.dryRun), ({ finish }) => finish)
})
