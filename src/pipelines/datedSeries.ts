// A pipeline over a series that can be asked for by date: ratio and allocation history are two of them.
import * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { Rows, Table, Value } from "../domain/table.ts"
import { dayOf, endOfDay, formatDay, startOfDay } from "../domain/time.ts"
import type { VaultRef } from "../domain/vault.ts"
import type { Violation } from "../domain/violation.ts"
import { type Answer, ApiClient } from "../extract/ApiClient.ts"
import type { Endpoint, Inputs } from "../extract/Endpoint.ts"
import type { Parameters } from "../extract/Parameter.ts"
import {
  type DateWindow,
  dateWindows,
  type SeriesCursor,
  type WindowRead,
  type WindowStep,
} from "../extract/paginators/dateWindows.ts"
import type { MappedAnswer, Source } from "../transform/Source.ts"
import { landed } from "./landed.ts"
import type { GapNote, Memory, Pipeline, RunContext, Step, Target } from "./Pipeline.ts"
import { readSeriesCursor, writeSeriesCursor } from "./seriesCursor.ts"

export interface DatedSeries<P extends Parameters, A> {
  readonly name: string
  readonly title: string
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
  steps: (target, memory, context) =>
    dateWindows({
      cursor: context.full ? undefined : readSeriesCursor(memory.cursor(memory.entity)),
      gaps: memory.openGaps.map(({ fromAt, toAt }) => ({ from: dayOf(fromAt), to: dayOf(toAt) })),
      today: context.today,
      windowDays: series.windowDays,
      overlapDays: context.overlapDays,
      since: context.since,
      until: context.until,
      read: (window) => read(series, target, window, context),
    }).pipe(Stream.map((step) => toStep(series, memory.entity, step))),
  expectedRequests: ({ subject }, memory, context) =>
    expectedRequests(series.windowDays, subject, memory, context),
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
  { rows }: MappedAnswer,
): { readonly oldest: number; readonly newest: number } | undefined => {
  const at = table.columns.findIndex(({ name }) => name === table.time)
  const found: Rows | undefined = rows.find((each) => each.table === table)
  const times: ReadonlyArray<Value> = found?.columns[at] ?? []
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

const toStep = (
  series: { readonly endpoint: { readonly name: string } },
  entity: string,
  step: WindowStep<Content>,
): Step => {
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
    rows: empty ? [] : mapped.rows,
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

const expectedRequests = (
  windowDays: number,
  vault: VaultRef,
  memory: Memory,
  context: RunContext,
): number => {
  const cursor = context.full ? undefined : readSeriesCursor(memory.cursor(memory.entity))
  const start = Math.max(
    vault.startedOn ?? context.today - ASSUMED_DAYS,
    context.since ?? -Infinity,
  )
  const windows = (days: number) => Math.max(1, Math.ceil(days / windowDays))
  // The two more: an empty window and the question for anything before it.
  if (cursor === undefined) return windows(context.today - start) + 2 + memory.openGaps.length
  const older = cursor.complete || cursor.from <= start ? 0 : windows(cursor.from - start) + 2
  // What came since is one window, cut into more only when its answer is full.
  return 1 + older + memory.openGaps.length
}
