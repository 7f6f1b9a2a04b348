// APY history: whole the first time, then from the high-water mark minus what smoothing still revises. A run that
// was told where to begin leaves the rest to the first one that is not.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { dayOf, formatDay, parseDay, startOfDay } from "../../domain/time.ts"
import type { VaultRef } from "../../domain/vault.ts"
import { ApiClient } from "../../extract/ApiClient.ts"
import { historicalApyChart } from "../../extract/endpoints/transparency/historical_apy_chart.ts"
import {
  apyHistory,
  apyHistoryRows,
  type ApySeries,
} from "../../transform/tables/transparency/apy_history.ts"
import { failedStep } from "../run/failedStep.ts"
import { givenUp, holesToFill, missingSlots } from "../walks/holes.ts"
import { landed } from "../run/landed.ts"
import type { GapNote, Holes, Memory, Pipeline, RunContext, Step, Target } from "../Pipeline.ts"
import { vaults } from "../walks/targets.ts"

const decodeCursor = Schema.decodeUnknownResult(
  Schema.Struct({ through: Schema.String, from: Schema.optionalKey(Schema.String) }),
)

/** What is read of a series. */
interface Mark {
  /** Day of the newest value stored. */
  readonly through: number
  /** Nothing before it was asked for; `undefined` where everything was. */
  readonly from: number | undefined
}

const FULL_HISTORY = -1

const seriesName = ({ smoothing, averagingPeriodDays }: ApySeries): string =>
  `${smoothing ? "smoothed" : "unsmoothed"} ${averagingPeriodDays}d`

/** As mart.series names it. */
const martSeries = ({ smoothing, averagingPeriodDays }: ApySeries): string =>
  `apy_${smoothing ? "smoothed" : "unsmoothed"}_${averagingPeriodDays}d`

const readMark = (stored: unknown): Mark | undefined => {
  const decoded = decodeCursor(stored)
  if (Result.isFailure(decoded)) return undefined
  const through = parseDay(decoded.success.through)
  return through === undefined ? undefined : { through, from: parseDay(decoded.success.from) }
}

const writeMark = ({ through, from }: Mark) => ({
  through: formatDay(through),
  ...(from === undefined ? {} : { from: formatDay(from) }),
})

const revisedSince = ({ averagingPeriodDays }: ApySeries, through: number): number =>
  through - 2 * averagingPeriodDays

/** `undefined` is the beginning. */
const earlier = (one: number | undefined, other: number): number | undefined =>
  one === undefined ? undefined : Math.min(one, other)

/** How far back to ask: a rolling filter revises values up to two windows behind the newest. */
const daysAgo = (
  series: ApySeries,
  mark: Mark | undefined,
  oldestHole: number,
  context: RunContext,
): number => {
  const isOlderWanted =
    mark === undefined ||
    context.full ||
    (mark.from !== undefined && (context.since ?? -Infinity) < mark.from)
  const oldest = isOlderWanted
    ? context.since
    : Math.min(oldestHole, revisedSince(series, mark.through))
  return oldest === undefined ? FULL_HISTORY : Math.max(1, context.today - oldest + 1)
}

/** Holes of days older than what the series' question goes back to anyway. */
const oldHoles = (
  series: ApySeries,
  mark: Mark | undefined,
  memory: Memory,
  context: RunContext,
): Holes | undefined =>
  mark === undefined
    ? undefined
    : holesToFill(
        memory.holes?.get(martSeries(series)),
        context,
        (day) => day < revisedSince(series, mark.through),
      )

/** What one longer question did not bring either. */
const notFilled = (
  holes: Holes | undefined,
  dates: ReadonlyArray<number>,
  context: RunContext,
): ReadonlyArray<GapNote> => {
  if (holes === undefined) return []
  const found = new Set(dates.map(startOfDay))
  const still = missingSlots(holes).filter((slot) => !found.has(slot))
  return givenUp(still, holes, context)
}

const readSeries = Effect.fnUntraced(function* (
  { entity: vault, subject }: Target<VaultRef>,
  series: ApySeries,
  memory: Memory,
  context: RunContext,
) {
  const client = yield* ApiClient
  const entity = `${memory.entity} ${seriesName(series)}`
  const mark = readMark(memory.cursor(entity))
  const holes = oldHoles(series, mark, memory, context)
  const [oldestHole] = missingSlots(holes)
  const days = daysAgo(
    series,
    mark,
    oldestHole === undefined ? Infinity : dayOf(oldestHole),
    context,
  )
  const inputs = {
    vault: subject.served,
    applySmoothing: series.smoothing,
    averagingPeriodDays: series.averagingPeriodDays,
    daysAgo: days,
  }
  const answer = yield* client.call(historicalApyChart, inputs, subject)
  const { timeFields } = context
  const asked = { entity: vault, subject, inputs, timeFields }
  const { rows, drift } = yield* landed(apyHistoryPipeline, asked, answer)
  const found = rows.find(({ table }) => table === apyHistory)
  const dates = (found?.columns[apyHistory.columns.findIndex(({ name }) => name === "date")] ??
    []) as ReadonlyArray<number>
  const from = days === FULL_HISTORY ? undefined : context.today - days + 1
  const read: Mark = {
    through: dates.reduce((max, date) => Math.max(max, date), mark?.through ?? -Infinity),
    from: mark === undefined || from === undefined ? from : earlier(mark.from, from),
  }
  const shared = {
    window: `${seriesName(series)}, ${days === FULL_HISTORY ? "full" : `${days} days`}`,
    series: martSeries(series),
    covers: { from, to: context.today },
    endpoint: historicalApyChart.name,
    responses: answer.responses,
    requests: answer.attempts,
    drift,
  }
  if (dates.length > 0) {
    return {
      ...shared,
      // Filed as its cursor is: another series of the vault may have the days.
      gaps: notFilled(holes, dates, context).map((gap) => ({ ...gap, entity })),
      outcome: "landed",
      rows,
      cursor: { entity, value: writeMark(read) },
    } satisfies Step
  }
  return (
    mark === undefined
      ? { ...shared, outcome: "empty", rows: [] }
      : {
          ...shared,
          outcome: "suspicious_empty",
          rows: [],
          warning: `no ${seriesName(series)} APY where there was some before; kept it`,
        }
  ) satisfies Step
})

export const apyHistoryPipeline: Pipeline<
  VaultRef,
  { readonly labels: ReadonlyArray<string>; readonly values: ReadonlyArray<number> }
> = {
  name: "apy_history",
  title: "APY history",
  tables: [apyHistory],
  endpoint: historicalApyChart,
  after: ["vaults"],
  targets: vaults,
  rows: apyHistoryRows,
  steps: (target, memory, context) =>
    Stream.fromIterable(context.apySeries).pipe(
      Stream.mapEffect((series) =>
        readSeries(target, series, memory, context).pipe(
          // A series that fails leaves the other standing.
          Effect.catchTag("ApiError", (error) =>
            Effect.succeed({
              ...failedStep(error, seriesName(series)),
              series: martSeries(series),
            }),
          ),
        ),
      ),
    ),
  expectedRequests: (_target, _memory, context) => context.apySeries.length,
}
