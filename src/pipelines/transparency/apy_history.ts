// APY history: whole the first time, then from the high-water mark minus what smoothing still revises.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { formatDay, parseDay } from "../../domain/time.ts"
import type { VaultRef } from "../../domain/vault.ts"
import { ApiClient } from "../../extract/ApiClient.ts"
import { historicalApyChart } from "../../extract/endpoints/transparency/historical_apy_chart.ts"
import {
  apyHistory,
  apyHistoryRows,
  type ApySeries,
} from "../../transform/tables/transparency/apy_history.ts"
import { failedStep } from "../failedStep.ts"
import { mappedOrViolation } from "../mapped.ts"
import type { Memory, RunContext, Step, VaultPipeline } from "../Pipeline.ts"

const decodeCursor = Schema.decodeUnknownResult(Schema.Struct({ through: Schema.String }))

const FULL_HISTORY = -1

const seriesName = ({ smoothing, averagingPeriodDays }: ApySeries): string =>
  `${smoothing ? "smoothed" : "unsmoothed"} ${averagingPeriodDays}d`

/** Day of the newest value stored of the series. */
const mark = (stored: unknown): number | undefined => {
  const decoded = decodeCursor(stored)
  return Result.isSuccess(decoded) ? parseDay(decoded.success.through) : undefined
}

/** How far back to ask: a rolling filter revises values up to two windows behind the newest. */
const daysAgo = (series: ApySeries, through: number | undefined, context: RunContext): number => {
  const oldest =
    through === undefined || context.full ? context.since : through - 2 * series.averagingPeriodDays
  return oldest === undefined ? FULL_HISTORY : Math.max(1, context.today - oldest + 1)
}

const readSeries = Effect.fnUntraced(function* (
  vault: VaultRef,
  series: ApySeries,
  memory: Memory,
  context: RunContext,
) {
  const client = yield* ApiClient
  const entity = `${memory.entity} ${seriesName(series)}`
  const through = mark(memory.cursor(entity))
  const days = daysAgo(series, through, context)
  const answer = yield* client.call(historicalApyChart, {
    vault: vault.served,
    applySmoothing: series.smoothing,
    averagingPeriodDays: series.averagingPeriodDays,
    daysAgo: days,
  })
  const { rows, drift } = yield* Effect.fromResult(
    mappedOrViolation(
      historicalApyChart,
      vault.address,
      answer,
      apyHistoryRows(answer.value, series, {
        vault,
        responseId: answer.responseId,
        timeFields: context.timeFields,
      }),
    ),
  )
  const dates = (rows.columns[apyHistory.columns.findIndex(({ name }) => name === "date")] ??
    []) as ReadonlyArray<number>
  const newest = dates.reduce((max, date) => Math.max(max, date), through ?? -Infinity)
  const shared = {
    window: `${seriesName(series)}, ${days === FULL_HISTORY ? "full" : `${days} days`}`,
    endpoint: historicalApyChart.name,
    responses: answer.responses,
    requests: answer.attempts,
    drift,
  }
  if (rows.length > 0) {
    return {
      ...shared,
      outcome: "landed",
      rows: [rows],
      cursor: { entity, value: { through: formatDay(newest) } },
    } satisfies Step
  }
  return (
    through === undefined
      ? { ...shared, outcome: "empty", rows: [] }
      : {
          ...shared,
          outcome: "suspicious_empty",
          rows: [],
          warning: `no ${seriesName(series)} APY where there was some before; kept it`,
        }
  ) satisfies Step
})

export const apyHistoryPipeline: VaultPipeline = {
  name: "apy_history",
  title: "APY history",
  tables: [apyHistory],
  includes: () => true,
  perChain: false,
  steps: (vault, memory, context) =>
    Stream.fromIterable(context.apySeries).pipe(
      Stream.mapEffect((series) =>
        readSeries(vault, series, memory, context).pipe(
          // A series that fails leaves the other standing.
          Effect.catchTag("ApiError", (error) =>
            Effect.succeed(failedStep(error, seriesName(series))),
          ),
        ),
      ),
    ),
  expectedRequests: (_vault, _memory, context) => context.apySeries.length,
}
