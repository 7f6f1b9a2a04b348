// A pipeline over a series that can be asked for by date: ratio and allocation history are two of them.
import * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { ApiError } from "../domain/errors.ts"
import type { Table, Value } from "../domain/table.ts"
import { dayOf, endOfDay, formatDay, startOfDay } from "../domain/time.ts"
import type { VaultRef } from "../domain/vault.ts"
import type { Violation } from "../domain/violation.ts"
import type { Answer, ApiClient } from "../extract/ApiClient.ts"
import type { AnyEndpoint } from "../extract/Endpoint.ts"
import {
  type DateWindow,
  dateWindows,
  type SeriesCursor,
  type WindowRead,
  type WindowStep,
} from "../extract/paginators/dateWindows.ts"
import type { ArchiveError } from "../extract/ResponseArchive.ts"
import type { Mapped } from "../transform/mapRecords.ts"
import type { SeriesContext } from "../transform/series.ts"
import { mappedOrViolation } from "./mapped.ts"
import type { GapNote, Memory, RunContext, Step, VaultPipeline } from "./Pipeline.ts"
import { readSeriesCursor, writeSeriesCursor } from "./seriesCursor.ts"

export interface DatedSeries<A> {
  readonly name: string
  readonly title: string
  readonly table: Table
  readonly endpoint: AnyEndpoint
  readonly includes: (vault: VaultRef) => boolean
  readonly perChain: boolean
  /** Longest window whose answer is not cut off. */
  readonly windowDays: number
  /** Points an answer can hold at most; as many as that may mean that there are more. */
  readonly pointLimit?: number
  readonly ask: (
    vault: VaultRef,
    window: DateWindow,
  ) => Effect.Effect<Answer<A>, ApiError | ArchiveError, ApiClient>
  readonly pointsIn: (answer: A) => number
  readonly rows: (answer: A, context: SeriesContext) => Result.Result<Mapped, Violation>
}

interface Content {
  readonly answer: Answer<unknown>
  readonly mapped: Mapped
}

export const datedSeries = <A>(series: DatedSeries<A>): VaultPipeline => ({
  name: series.name,
  title: series.title,
  tables: [series.table],
  includes: series.includes,
  perChain: series.perChain,
  steps: (vault, memory, context) =>
    dateWindows({
      cursor: context.full ? undefined : readSeriesCursor(memory.cursor(memory.entity)),
      gaps: memory.openGaps.map(({ fromAt, toAt }) => ({ from: dayOf(fromAt), to: dayOf(toAt) })),
      today: context.today,
      windowDays: series.windowDays,
      overlapDays: context.overlapDays,
      since: context.since,
      until: context.until,
      read: (window) => read(series, vault, window, context),
    }).pipe(Stream.map((step) => toStep(series, memory.entity, step))),
  expectedRequests: (vault, memory, context) => expectedRequests(series, vault, memory, context),
})

const read = Effect.fnUntraced(function* <A>(
  series: DatedSeries<A>,
  vault: VaultRef,
  window: DateWindow,
  context: RunContext,
) {
  const answer = yield* series.ask(vault, window)
  const mapped = yield* Effect.fromResult(
    mappedOrViolation(
      series.endpoint,
      vault.address,
      answer,
      series.rows(answer.value, {
        vault,
        responseId: answer.responseId,
        timeFields: context.timeFields,
      }),
    ),
  )
  const points = series.pointsIn(answer.value)
  const days = daysIn(series.table, mapped)
  const content: Content = { answer, mapped }
  return {
    content,
    points,
    oldest: days?.oldest,
    newest: days?.newest,
    full: series.pointLimit !== undefined && points >= series.pointLimit,
  } satisfies WindowRead<Content>
})

const daysIn = (
  table: Table,
  { rows }: Mapped,
): { readonly oldest: number; readonly newest: number } | undefined => {
  const at = table.columns.findIndex(({ name }) => name === table.time)
  const times: ReadonlyArray<Value> = rows.columns[at] ?? []
  let oldest = Infinity
  let newest = -Infinity
  for (const time of times) {
    const value = time as number
    if (value < oldest) oldest = value
    if (value > newest) newest = value
  }
  if (oldest === Infinity) return undefined
  return table.columns[at]?.type === "date"
    ? { oldest, newest }
    : { oldest: dayOf(oldest), newest: dayOf(newest) }
}

const windowText = ({ from, to }: DateWindow): string =>
  `${from === undefined ? "" : formatDay(from)}..${formatDay(to)}`

const toStep = <A>(series: DatedSeries<A>, entity: string, step: WindowStep<Content>): Step => {
  const cursor = cursorOf(entity, step.cursor)
  const shared = { window: windowText(step.window), endpoint: series.endpoint.name, ...cursor }
  if (step._tag === "Failed") {
    const quarantined = step.error.reason._tag === "ContractViolation"
    return {
      ...shared,
      outcome: quarantined ? "quarantined" : "failed",
      rows: [],
      responses: step.error.responses,
      requests: step.error.attempts,
      error: step.error,
      gaps: [gap(step.window, quarantined ? "quarantined" : "failed", "open", step.error.detail)],
    }
  }
  const { answer, mapped } = step.content
  const gaps: Array<GapNote> = []
  if (step.fills !== undefined)
    gaps.push(gap(step.fills, "failed", "closed", "read by a later run"))
  if (step.cutOff) {
    const detail = `one day holds ${step.points} points or more, as many as an answer can`
    gaps.push(gap({ from: step.window.to, to: step.window.to }, "truncated", "permanent", detail))
  }
  const empty = step.points === 0
  return {
    ...shared,
    outcome: step.suspicious ? "suspicious_empty" : empty ? "empty" : "landed",
    rows: empty ? [] : [mapped.rows],
    responses: answer.responses,
    requests: answer.attempts,
    gaps,
    drift: mapped.drift,
    ...(step.suspicious
      ? {
          warning: `nothing in ${windowText(step.window)}, where there were points before; kept them`,
        }
      : {}),
  }
}

const cursorOf = (entity: string, cursor: SeriesCursor | undefined): Pick<Step, "cursor"> =>
  cursor === undefined ? {} : { cursor: { entity, value: writeSeriesCursor(cursor) } }

const gap = (
  days: { readonly from: number; readonly to: number },
  reason: GapNote["reason"],
  state: GapNote["state"],
  detail: string,
): GapNote => ({ fromAt: startOfDay(days.from), toAt: endOfDay(days.to), reason, state, detail })

// A year where nothing is known of a vault's age.
const ASSUMED_DAYS = 365

const expectedRequests = <A>(
  series: DatedSeries<A>,
  vault: VaultRef,
  memory: Memory,
  context: RunContext,
): number => {
  const cursor = context.full ? undefined : readSeriesCursor(memory.cursor(memory.entity))
  const start = Math.max(
    vault.startedOn ?? context.today - ASSUMED_DAYS,
    context.since ?? -Infinity,
  )
  const windows = (days: number) => Math.max(1, Math.ceil(days / series.windowDays))
  // The two more: an empty window and the question for anything before it.
  if (cursor === undefined) return windows(context.today - start) + 2 + memory.openGaps.length
  const older = cursor.complete || cursor.from <= start ? 0 : windows(cursor.from - start) + 2
  // What came since is one window, cut into more only when its answer is full.
  return 1 + older + memory.openGaps.length
}
