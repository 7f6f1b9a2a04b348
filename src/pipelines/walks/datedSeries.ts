// A pipeline over a series that can be asked for by date: ratio and allocation history are two of them.
import * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { CoveredDays } from "../../domain/outcome.ts"
import type { Rows, Table } from "../../domain/table.ts"
import { dayOf, endOfDay, formatDay, startOfDay } from "../../domain/time.ts"
import type { VaultRef } from "../../domain/vault.ts"
import type { Violation } from "../../domain/violation.ts"
import { type Answer, ApiClient } from "../../extract/ApiClient.ts"
import type { Endpoint, Inputs } from "../../extract/Endpoint.ts"
import type { Parameters } from "../../extract/Parameter.ts"
import type { DateWindow, SeriesCursor, WindowRead } from "../../extract/paginators/dateWindow.ts"
import { dateWindows, type WindowStep } from "../../extract/paginators/dateWindows.ts"
import { looksCutOff } from "../../extract/paginators/plausibleCap.ts"
import type { MappedAnswer, Source } from "../../transform/Source.ts"
import { type AskedAgain, isKnown, settle, type Settled, windowsAgain } from "./fillHoles.ts"
import { holesToFill, MICROS_PER_HOUR } from "./holes.ts"
import { landed } from "../run/landed.ts"
import type { GapNote, Memory, Pipeline, RunContext, Step, Target } from "../Pipeline.ts"
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
  /** Of the points, microseconds since 1970 UTC. */
  readonly times: ReadonlyArray<number>
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
    const asked = askedAgain(series, cursor, memory, context)
    return dateWindows({
      cursor,
      gaps: windowsAgain(asked, series.windowDays),
      hasPoints: isKnown(asked.holes),
      today: context.today,
      windowDays: series.windowDays,
      overlapDays: context.overlapDays,
      since: context.since,
      until: context.until,
      read: (window) => read(series, target, window, context),
    }).pipe(
      Stream.mapAccum(
        (): Settled => new Set(),
        (before, step) => {
          const { settled, notes } = settle(asked, context, before, step)
          return [settled, [toStep(series, memory.entity, step, notes)]] as const
        },
      ),
    )
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
  const span = spanOf(times)
  const oldest = span === undefined ? undefined : dayOf(span.oldest)
  const covers = { from: window.from ?? oldest, to: window.to }
  const content: Content = { answer, mapped, covers, times }
  return {
    content,
    points,
    oldest,
    newest: span === undefined ? undefined : dayOf(span.newest),
    startsLate:
      span !== undefined && span.oldest - startOfDay(dayOf(span.oldest)) >= MICROS_PER_HOUR,
    full: isFull(series, window, points),
  } satisfies WindowRead<Content>
})

/**
 * Whether there may be more points in the window than the answer holds. Where a day is a set, an answer cut off within
 * one would take its other members for gone: one that looks cut off is asked for again in parts before it lands.
 */
const isFull = (
  { pointLimit, table }: Pick<DatedSeries<never, never>, "pointLimit" | "table">,
  { from, to }: DateWindow,
  points: number,
): boolean =>
  (pointLimit !== undefined && points >= pointLimit) ||
  (table.setKey !== undefined && from !== to && looksCutOff(points))

/** Of the points, microseconds since 1970 UTC; a day counts from its start. */
const timesIn = (table: Table, { rows }: MappedAnswer): ReadonlyArray<number> => {
  const at = table.columns.findIndex(({ name }) => name === table.time)
  const found: Rows | undefined = rows.find((each) => each.table === table)
  const times = (found?.columns[at] ?? []) as ReadonlyArray<number>
  return table.columns[at]?.type === "date" ? times.map(startOfDay) : times
}

const spanOf = (
  times: ReadonlyArray<number>,
): { readonly oldest: number; readonly newest: number } | undefined => {
  let oldest = Infinity
  let newest = -Infinity
  for (const time of times) {
    if (time < oldest) oldest = time
    if (time > newest) newest = time
  }
  return oldest === Infinity ? undefined : { oldest, newest }
}

/** Open gaps, and the holes of days that were read once and that this run does not read anyway. */
const askedAgain = (
  { series }: Pick<DatedSeries<never, never>, "series">,
  cursor: SeriesCursor | undefined,
  { holes, openGaps }: Memory,
  context: RunContext,
): AskedAgain => ({
  openGaps,
  holes:
    cursor === undefined
      ? undefined
      : holesToFill(
          holes?.get(series),
          context,
          (day) => day >= cursor.from && day < cursor.through - context.overlapDays,
        ),
})

const windowText = ({ from, to }: DateWindow): string =>
  `${from === undefined ? "" : formatDay(from)}..${formatDay(to)}`

interface Read {
  readonly endpoint: { readonly name: string }
  readonly series: string
}

const toStep = (
  { endpoint, series }: Read,
  entity: string,
  step: WindowStep<Content>,
  settled: ReadonlyArray<GapNote>,
): Step => {
  const cursor = cursorOf(entity, step.cursor)
  const shared = { window: windowText(step.window), series, endpoint: endpoint.name, ...cursor }
  if (step._tag === "Failed") {
    const outcome = step.error.reason._tag === "ContractViolation" ? "quarantined" : "failed"
    return {
      ...shared,
      covers: step.window,
      outcome,
      rows: [],
      responses: step.error.responses,
      requests: step.error.attempts,
      error: step.error,
      // A gap that stays whole has the key of its closing: the last one is kept.
      gaps: [...settled, gap(step.window, outcome, "open", step.error.detail)],
    }
  }
  const { answer, mapped, covers } = step.content
  const gaps = [...settled]
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
    ...(step.suspicious
      ? { warning: `nothing in ${shared.window}, where there were points before; kept them` }
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
  // The two more: an empty window and the question for anything before it.
  if (cursor === undefined) return windows(context.today - start) + 2
  const older = cursor.complete || cursor.from <= start ? 0 : windows(cursor.from - start) + 2
  const again = windowsAgain(askedAgain(series, cursor, memory, context), windowDays).length
  // What came since is one window, cut into more only when its answer is full.
  return 1 + older + again
}
