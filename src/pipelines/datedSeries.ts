// A pipeline over a series that can be asked for by date: ratio and allocation history are two of them.
import * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { CoveredDays } from "../domain/outcome.ts"
import type { Rows, Table } from "../domain/table.ts"
import { dayOf, endOfDay, formatDay, startOfDay } from "../domain/time.ts"
import type { VaultRef } from "../domain/vault.ts"
import type { Violation } from "../domain/violation.ts"
import { type Answer, ApiClient } from "../extract/ApiClient.ts"
import type { Endpoint, Inputs } from "../extract/Endpoint.ts"
import type { Parameters } from "../extract/Parameter.ts"
import type { DateWindow, SeriesCursor } from "../extract/paginators/dateWindow.ts"
import { dateWindows, type WindowStep } from "../extract/paginators/dateWindows.ts"
import type { MappedAnswer, Source } from "../transform/Source.ts"
import { fillHoles, type FillStep, type HoleRead, holeWindows } from "./fillHoles.ts"
import { failedStep } from "./failedStep.ts"
import { holesToFill } from "./holes.ts"
import { landed } from "./landed.ts"
import type { GapNote, Memory, Pipeline, RunContext, Step, Target } from "./Pipeline.ts"
import { readSeriesCursor, writeSeriesCursor } from "./seriesCursor.ts"

export interface DatedSeries<P extends Parameters, A> {
  readonly name: string
  readonly title: string
  /** As mart.series names it. */
  readonly series: string
  readonly table: Table
  readonly endpoint: Endpoint<P, A>
  readonly targets: Pipeline<VaultRef>["targets"]
  /** Longest window whose answer is not cut off. */
  readonly windowDays: number
  /** Points an answer can hold at most; as many as that may mean that there are more. */
  readonly pointLimit?: number
  readonly inputs: (vault: VaultRef, window: DateWindow) => Inputs<P>
  readonly pointsIn: (answer: A) => number
  readonly rows: (answer: A, source: Source<VaultRef>) => Result.Result<MappedAnswer, Violation>
}

interface Content {
  readonly answer: Answer<unknown>
  readonly mapped: MappedAnswer
  /** Days the answer stands for: the newest points up to a day tell nothing of what is older than they are. */
  readonly covers: CoveredDays
}

export const datedSeries = <P extends Parameters, A>(
  series: DatedSeries<P, A>,
): Pipeline<VaultRef, A> => ({
  name: series.name,
  title: series.title,
  tables: [series.table],
  endpoint: series.endpoint,
  after: ["vaults"],
  targets: series.targets,
  rows: series.rows,
  steps: (target, memory, context) => {
    const cursor = context.full ? undefined : readSeriesCursor(memory.cursor(memory.entity))
    const holes = oldHoles(series, cursor, memory, context)
    const whole = dateWindows({
      cursor,
      // Where holes are filled, gaps are asked for together with them.
      gaps:
        holes === undefined
          ? memory.openGaps.map(({ fromAt, toAt }) => ({ from: dayOf(fromAt), to: dayOf(toAt) }))
          : [],
      today: context.today,
      windowDays: series.windowDays,
      overlapDays: context.overlapDays,
      since: context.since,
      until: context.until,
      read: (window) => read(series, target, window, context),
    }).pipe(Stream.map((step) => toStep(series, memory.entity, step)))
    if (holes === undefined) return whole
    const filled = fillHoles({
      holes,
      openGaps: memory.openGaps,
      windowDays: series.windowDays,
      context,
      read: (window) => read(series, target, window, context),
    }).pipe(Stream.map((step) => filledStep(series, step)))
    return Stream.concat(filled, whole)
  },
  expectedRequests: ({ subject }, memory, context) =>
    expectedRequests(series, subject, memory, context),
})

const read = Effect.fnUntraced(function* <P extends Parameters, A>(
  series: DatedSeries<P, A>,
  { entity, subject }: Target<VaultRef>,
  window: DateWindow,
  context: RunContext,
) {
  const client = yield* ApiClient
  const inputs = series.inputs(subject, window)
  const answer = yield* client.call(series.endpoint, inputs, subject)
  const { timeFields } = context
  const mapped = yield* landed(series, { entity, subject, inputs, timeFields }, answer)
  const points = series.pointsIn(answer.value)
  const times = timesIn(series.table, mapped)
  const days = daysIn(times)
  const covers = { from: window.from ?? days?.oldest, to: window.to }
  const content: Content = { answer, mapped, covers }
  return {
    content,
    points,
    oldest: days?.oldest,
    newest: days?.newest,
    full: series.pointLimit !== undefined && points >= series.pointLimit,
    times,
  } satisfies HoleRead<Content>
})

/** Of the points, microseconds since 1970 UTC; a day counts from its start. */
const timesIn = (table: Table, { rows }: MappedAnswer): ReadonlyArray<number> => {
  const at = table.columns.findIndex(({ name }) => name === table.time)
  const found: Rows | undefined = rows.find((each) => each.table === table)
  const times = (found?.columns[at] ?? []) as ReadonlyArray<number>
  return table.columns[at]?.type === "date" ? times.map(startOfDay) : times
}

const daysIn = (
  times: ReadonlyArray<number>,
): { readonly oldest: number; readonly newest: number } | undefined => {
  let oldest = Infinity
  let newest = -Infinity
  for (const time of times) {
    if (time < oldest) oldest = time
    if (time > newest) newest = time
  }
  return oldest === Infinity ? undefined : { oldest: dayOf(oldest), newest: dayOf(newest) }
}

/** Holes of days that were read once and that this run does not read anyway. */
const oldHoles = (
  { series }: Pick<DatedSeries<never, never>, "series">,
  cursor: SeriesCursor | undefined,
  memory: Memory,
  context: RunContext,
) =>
  cursor === undefined
    ? undefined
    : holesToFill(
        memory.holes?.get(series),
        context,
        (day) => day >= cursor.from && day < cursor.through - context.overlapDays,
      )

const windowText = ({ from, to }: DateWindow): string =>
  `${from === undefined ? "" : formatDay(from)}..${formatDay(to)}`

interface Read {
  readonly endpoint: { readonly name: string }
  readonly series: string
}

const toStep = ({ endpoint, series }: Read, entity: string, step: WindowStep<Content>): Step => {
  const cursor = cursorOf(entity, step.cursor)
  const shared = { window: windowText(step.window), series, endpoint: endpoint.name, ...cursor }
  if (step._tag === "Failed") {
    const quarantined = step.error.reason._tag === "ContractViolation"
    return {
      ...shared,
      covers: step.window,
      outcome: quarantined ? "quarantined" : "failed",
      rows: [],
      responses: step.error.responses,
      requests: step.error.attempts,
      error: step.error,
      gaps: [gap(step.window, quarantined ? "quarantined" : "failed", "open", step.error.detail)],
    }
  }
  const { answer, mapped, covers } = step.content
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
    covers,
    outcome: step.suspicious ? "suspicious_empty" : empty ? "empty" : "landed",
    rows: empty ? [] : mapped.rows,
    responses: answer.responses,
    requests: answer.attempts,
    gaps,
    drift: mapped.drift,
    ...(step.suspicious ? { warning: nothingIn(windowText(step.window)) } : {}),
  }
}

const filledStep = ({ endpoint, series }: Read, step: FillStep<Content>): Step => {
  const window = windowText(step.window)
  if (step._tag === "NotFilled") {
    const failed = { ...failedStep(step.error, window), series, covers: step.window }
    return failed.outcome === "quarantined"
      ? { ...failed, gaps: [gap(step.window, "quarantined", "open", step.error.detail)] }
      : failed
  }
  const { answer, mapped, covers } = step.content
  const empty = step.points === 0
  return {
    window,
    series,
    covers,
    endpoint: endpoint.name,
    outcome: step.suspicious ? "suspicious_empty" : empty ? "empty" : "landed",
    rows: empty ? [] : mapped.rows,
    responses: answer.responses,
    requests: answer.attempts,
    gaps: step.gaps,
    drift: mapped.drift,
    ...(step.suspicious ? { warning: nothingIn(window) } : {}),
  }
}

const nothingIn = (window: string): string =>
  `nothing in ${window}, where there were points before; kept them`

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

const expectedRequests = (
  series: Pick<DatedSeries<never, never>, "series" | "windowDays">,
  vault: VaultRef,
  memory: Memory,
  context: RunContext,
): number => {
  const { windowDays } = series
  const cursor = context.full ? undefined : readSeriesCursor(memory.cursor(memory.entity))
  const start = Math.max(
    vault.startedOn ?? context.today - ASSUMED_DAYS,
    context.since ?? -Infinity,
  )
  const windows = (days: number) => Math.max(1, Math.ceil(days / windowDays))
  const holes = oldHoles(series, cursor, memory, context)
  const again =
    holes === undefined
      ? memory.openGaps.length
      : holeWindows(holes, memory.openGaps, windowDays).length
  // The two more: an empty window and the question for anything before it.
  if (cursor === undefined) return windows(context.today - start) + 2 + again
  const older = cursor.complete || cursor.from <= start ? 0 : windows(cursor.from - start) + 2
  // What came since is one window, cut into more only when its answer is full.
  return 1 + older + again
}
