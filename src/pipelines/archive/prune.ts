// Applies retention at once and to the day, as a command of its own.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { microsFromMillis, MICROS_PER_DAY } from "../../domain/values/time.ts"
import {
  type Published,
  publishMoves,
  publishNewsEverywhere,
  type PublishOptions,
} from "../publication/publish.ts"
import { commandId } from "../../domain/run/commandId.ts"
import { existingWarehouse, type Place, placeOf } from "../publication/warehouse.ts"
import { pruneBefore, type PruneSummary } from "../retention/pruneBefore.ts"
import { endAllRuns } from "../run/endDeadRuns.ts"

export type PruneReport = PruneSummary & Published

export interface PruneOptions extends Place {
  readonly olderThanDays: number
  /** Only reports what would be dropped. */
  readonly dryRun: boolean
  /** Absent: nothing is published, and `trace` does not find what was moved until it is. */
  readonly publish?: PublishOptions | undefined
}

const PRUNING = "Pruning the archive"

export const prune = Effect.fnUntraced(function* (options: PruneOptions) {
  const runId = yield* commandId("prune")
  return yield* pruned(options).pipe(
    Effect.provide(existingWarehouse(PRUNING, { ...placeOf(options), runId })),
  )
})

const pruned = Effect.fnUntraced(function* (options: PruneOptions) {
  // A run in progress may still commit references to the old segments.
  yield* endAllRuns(PRUNING, options)
  const publish = yield* publishMoves(options.dryRun ? undefined : options.publish)
  const now = microsFromMillis(yield* Clock.currentTimeMillis)
  const oldest = now - options.olderThanDays * MICROS_PER_DAY
  const { finish } = yield* pruneBefore(options, oldest, options.dryRun)
  // Until readers have learnt where bodies are now, they look for them in the old segments.
  const published = yield* publishNewsEverywhere(publish)
  return { ...(yield* finish), ...published }
})
