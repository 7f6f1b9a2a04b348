// APY history: the first run reads all of it, later runs read from the high-water mark minus the days that smoothing
// still revises, and the days before them that smoothing needs. A run with a start date leaves older days to the first run
// without one.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { dayOf } from "../../../domain/values/time.ts"
import type { VaultRef } from "../../../domain/subject/vault.ts"
import type { ApiError } from "../../../domain/wire/errors.ts"
import { historicalApyChart } from "../../../extract/endpoints/transparency/historical_apy_chart.ts"
import { isOfOneWindow } from "../../../extract/paginators/windowErrors.ts"
import { responseEnvelopes } from "../../../transform/tables/response_envelopes.ts"
import {
  apyHistory,
  apyHistoryRows,
  type ApySeries,
  apyWindow,
  leadInDays,
} from "../../../transform/tables/transparency/apy_history.ts"
import type { MissingSlots, PartitionState } from "../../model/PartitionState.ts"
import type { Partition, Pipeline, RunContext } from "../../model/Pipeline.ts"
import type { TaskResult } from "../../model/TaskResult.ts"
import { cursorCodec, Day, trustedThrough } from "../../strategies/cursors.ts"
import {
  missingIn,
  permanentGaps,
  slotsToFill,
  stillMissing,
} from "../../strategies/missingSlots.ts"
import { vaults } from "../../strategies/partitions.ts"
import { readPage } from "../../strategies/readPage.ts"
import { failedResult, resultOf } from "../../strategies/taskResult.ts"

const source = {
  endpoint: historicalApyChart,
  tables: [apyHistory, responseEnvelopes],
  rows: apyHistoryRows,
}

/** What has been read of a series. */
interface Mark {
  /** Day of the newest value stored; that of the run, if the value is dated ahead. */
  readonly through: number
  /** First day that was requested, and every day since; `undefined` if the whole history was. */
  readonly from?: number | undefined
}

const cursors = cursorCodec<Mark, unknown>(
  Schema.Struct({ through: Day, from: Schema.optional(Day) }),
)

const trusted = (stored: Mark | undefined, { today }: RunContext): Mark | undefined => {
  const through = stored === undefined ? undefined : trustedThrough(stored.through, today)
  return through === undefined ? undefined : { ...stored, through }
}

const FULL_HISTORY = -1

const seriesName = ({ smoothing, averagingPeriodDays }: ApySeries): string =>
  `${smoothing ? "smoothed" : "unsmoothed"} ${averagingPeriodDays}d`

const cursorKey = ({ entity }: Partition<VaultRef>, series: ApySeries): string =>
  `${entity} ${seriesName(series)}`

/** The name of the series in mart.series. */
const martSeries = ({ smoothing, averagingPeriodDays }: ApySeries): string =>
  `apy_${smoothing ? "smoothed" : "unsmoothed"}_${averagingPeriodDays}d`

const revisedSince = ({ averagingPeriodDays }: ApySeries, through: number): number =>
  through - 2 * averagingPeriodDays

/**
 * The first day requested so far. A run that leaves out days that are new or still revised (`--full --since`) begins anew, so
 * that the next run without a start date reads them.
 */
const requestedFrom = (
  series: ApySeries,
  mark: Mark | undefined,
  from: number | undefined,
): number | undefined => {
  if (mark === undefined || from === undefined) return from
  if (from > revisedSince(series, mark.through)) return from
  return mark.from === undefined ? undefined : Math.min(mark.from, from)
}

/** The first day to store: a rolling filter revises values up to two windows behind the newest. */
const firstDay = (
  series: ApySeries,
  mark: Mark | undefined,
  oldestMissing: number,
  context: RunContext,
): number | undefined => {
  const isOlderWanted =
    mark === undefined ||
    context.full ||
    (mark.from !== undefined && (context.since ?? -Infinity) < mark.from)
  return isOlderWanted
    ? context.since
    : Math.min(oldestMissing, context.today, revisedSince(series, mark.through))
}

/** What of a series is to be read. */
interface Wanted {
  readonly series: ApySeries
  readonly mark: Mark | undefined
  /** The first day; `undefined` for the whole history. */
  readonly from: number | undefined
  readonly slots: MissingSlots | undefined
}

const readSeries = Effect.fnUntraced(function* (
  partition: Partition<VaultRef>,
  series: ApySeries,
  state: PartitionState,
  context: RunContext,
) {
  const stored = cursors.decode(state.cursor(cursorKey(partition, series)))
  const mark = trusted(stored, context)
  const slots = slotsToFill(
    state.missingSlots?.get(martSeries(series)),
    mark === undefined ? undefined : { before: revisedSince(series, mark.through) },
    context,
  )
  const [oldest] = missingIn(slots)
  const from = firstDay(series, mark, oldest === undefined ? Infinity : dayOf(oldest), context)
  const hadRows = stored !== undefined
  const result = yield* readFrom(partition, { series, mark, from, slots }, context)
  const results: ReadonlyArray<TaskResult> = [{ ...result, hadRows }]
  if (mark === undefined || context.full || !mayBeTooMuch(result.error)) return results
  const newest = revisedSince(series, mark.through)
  if (newest <= (from ?? -Infinity)) return results
  // Old days that keep failing must not keep back the new ones.
  const wanted = { series, mark, from: newest, slots: undefined }
  return [...results, { ...(yield* readFrom(partition, wanted, context)), hadRows }]
})

/** Whether a request for fewer days may succeed. */
const mayBeTooMuch = (error: ApiError | undefined): boolean =>
  error?.reason._tag === "ResponseTooLarge" || isOfOneWindow(error)

const readFrom = Effect.fnUntraced(function* (
  partition: Partition<VaultRef>,
  { series, mark, from, slots }: Wanted,
  context: RunContext,
) {
  const entity = cursorKey(partition, series)
  const days = from === undefined ? undefined : Math.max(1, context.today - from + 1)
  const window = apyWindow(seriesName(series), from)
  const inputs = {
    vault: partition.subject.wireAddress,
    applySmoothing: series.smoothing,
    averagingPeriodDays: series.averagingPeriodDays,
    daysAgo: days === undefined ? FULL_HISTORY : days + leadInDays(series),
  }
  const found = yield* Effect.result(readPage(source, partition, inputs, context, window))
  const ofSeries = { series: martSeries(series) }
  // What --full could not read of a series, the next run without a start date reads: only the days behind the mark are read
  // again anyway.
  const fullAgain =
    context.full && mark !== undefined
      ? { cursor: { entity, value: cursors.encode({ ...mark, from: context.today }) } }
      : {}
  if (Result.isFailure(found)) {
    if (found.failure._tag !== "ApiError") return yield* found.failure
    // A series that fails does not affect the others.
    const failed: TaskResult = { ...failedResult(window, found.failure), ...ofSeries, ...fullAgain }
    return failed
  }
  const page = found.success
  const result: TaskResult = {
    ...resultOf(window, page),
    ...ofSeries,
    covers: { from, to: context.today },
  }
  if (page.times.length === 0) return { ...result, ...fullAgain }
  const read: Mark = {
    // A value dated in the future must not hide those that arrive before that date.
    through: page.times.reduce(
      (newest, time) => Math.max(newest, Math.min(dayOf(time), context.today)),
      mark?.through ?? -Infinity,
    ),
    from: requestedFrom(series, mark, from),
  }
  const gaps =
    // A rejected value may be the one that is missing.
    slots === undefined || page.rejected.length > 0
      ? []
      : permanentGaps(stillMissing(missingIn(slots), slots, page.times), slots, context)
  return {
    ...result,
    // Stored under the cursor's key: another series of the vault may have the days.
    gaps: gaps.map((gap) => ({ ...gap, entity })),
    // With a rejected value the next run reads all of this again.
    ...(page.rejected.length > 0 ? fullAgain : { cursor: { entity, value: cursors.encode(read) } }),
  }
})

export const apyHistoryPipeline: Pipeline<
  VaultRef,
  { readonly labels: ReadonlyArray<string>; readonly values: ReadonlyArray<number> }
> = {
  name: "apy_history",
  title: "APY history",
  cadence: "daily",
  // The service has no parameter for the last day.
  limitedBy: ["since"],
  ...source,
  after: ["vaults"],
  partitions: vaults,
  read: (partition, state, context) =>
    Stream.fromIterable(context.apySeries).pipe(
      Stream.mapEffect((series) => readSeries(partition, series, state, context)),
      Stream.flattenIterable,
    ),
  expectedRequests: (_partition, _state, { apySeries }) => apySeries.length,
}
