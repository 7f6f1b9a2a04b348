// What a run does besides reading, so that a year of runs leaves neither a file for each nor a record of every task.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { dayOf, formatInstant, microsFromMillis, MICROS_PER_DAY } from "../../domain/values/time.ts"
import type { StoredSegment } from "../../archive/ArchiveStore.ts"
import { monthOf, runOfSegment } from "../../archive/segments.ts"
import { number } from "../../load/duckdb/decodeRow.ts"
import type { LoadError } from "../../load/errors.ts"
import { hasUnpublishedPlaces } from "../../load/published/publish.ts"
import { Warehouse } from "../../load/Warehouse.ts"
import { archiveOf, inArchive } from "../publication/archiveOf.ts"
import type { Place } from "../publication/warehouse.ts"
import { findMoved } from "./findMoved.ts"
import { inGroups, joinable, joinSegments, removeSegments } from "./joinSegments.ts"
import { agesOf, oldRecords, pruneBefore } from "./pruneBefore.ts"

// So that each byte is written again twice: in its month, and when that is over.
const RUNS_TO_JOIN = 32

/** Removes what was replaced. Until readers have learnt where bodies are now, they look for them there. */
export type Finish = Effect.Effect<void, LoadError, Warehouse>

/**
 * Joins small segments, and prunes the months that are older than `keepDays` as a whole; what it returns is to be run once that
 * is published, unless `isPublished` is false: then at once. For the process that has the warehouse to itself, after its run has
 * ended.
 */
export const keepInOrder = Effect.fnUntraced(function* (
  place: Place,
  keepDays: number,
  isPublished: boolean,
) {
  const { runId } = yield* Warehouse
  const store = archiveOf(place)
  const now = microsFromMillis(yield* Clock.currentTimeMillis)
  const segments = yield* inArchive(() => store.segments())
  const others = segments.filter(({ file }) => runOfSegment(file) !== runId)
  // Where publications fail, the segments of the last join are still there: each run would join them again.
  const isHeld = isPublished && (yield* hasUnpublishedPlaces)
  const joins = (of: typeof segments) =>
    groupsToJoin(of, monthIn(now)).filter(({ length }) => length > 1)
  // What may be joined is read from the index, which takes longer the longer it is: not in every run.
  const groups = isHeld || joins(others).length === 0 ? [] : joins(yield* joinable(others))
  const isFirst = yield* isFirstOfDay(now)
  // Reads the index too. Before they are joined, since only a segment that the index does not name is searched.
  if (isFirst || groups.length > 0) {
    yield* findMoved(
      store,
      segments.map(({ file }) => file),
      false,
    )
  }
  const replaced = yield* joinSegments(store, groups)
  const removed = removeSegments(store, replaced)
  const before = monthsToKeep(now, keepDays)
  if (!isFirst || (yield* oldRecords(agesOf(before, now))) === 0) return removed satisfies Finish
  const { finish } = yield* pruneBefore(place, before, false, replaced)
  return Effect.asVoid(Effect.andThen(removed, finish)) satisfies Finish
})

/** Small segments of one month, if they are enough of those that single runs wrote, or if the month is over. */
const groupsToJoin = (
  segments: ReadonlyArray<StoredSegment>,
  thisMonth: string,
): ReadonlyArray<ReadonlyArray<string>> =>
  [...Map.groupBy(segments, ({ file }) => monthOf(file))].flatMap(([month, ofMonth]) => {
    const ofRuns = ofMonth.filter(({ file }) => runOfSegment(file) !== month)
    if (month >= thisMonth && ofRuns.length < RUNS_TO_JOIN) return []
    return inGroups(month >= thisMonth ? ofRuns : ofMonth)
  })

/** Whether no earlier run of the same day came this far: failed, stopped and killed ones did not, nor does a swap. */
const isFirstOfDay = Effect.fnUntraced(function* (now: number) {
  const { rows, runId } = yield* Warehouse
  const [row] = yield* rows(
    `select coalesce(epoch_us(max(started_at)), 0)::double as at from ops.runs
     where run_id <> $1 and command <> 'swap' and outcome in ('complete', 'partial', 'deferred')`,
    [runId],
  )
  return row === undefined || dayOf(number("at")(row)) !== dayOf(now)
})

/** YYYYMM, as in the names of segments. */
const monthIn = (instant: number): string => formatInstant(instant).slice(0, 7).replace("-", "")

/** Where the months begin that are not older than `keepDays` as a whole; microseconds since 1970, as `now`. */
export const monthsToKeep = (now: number, keepDays: number): number => {
  const date = new Date((now - keepDays * MICROS_PER_DAY) / 1000)
  return microsFromMillis(Date.UTC(date.getUTCFullYear(), date.getUTCMonth()))
}
