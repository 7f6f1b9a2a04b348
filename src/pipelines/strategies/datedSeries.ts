// The sync strategy of a series that can be requested by date, such as ratio and allocation history.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import {
  dayOf,
  endOfDay,
  formatDay,
  startOfDay,
  MICROS_PER_HOUR,
} from "../../domain/values/time.ts"
import { FIRST_DAY } from "../../domain/subject/firstDay.ts"
import type { VaultRef } from "../../domain/subject/vault.ts"
import type { Inputs } from "../../extract/Endpoint.ts"
import type { Parameters } from "../../extract/Parameter.ts"
import type {
  DateWindow,
  DayRange,
  SeriesCursor,
  WindowRead,
} from "../../extract/paginators/dateWindow.ts"
import { dateWindows, type WindowStep } from "../../extract/paginators/dateWindows.ts"
import type { PartitionState } from "../model/PartitionState.ts"
import type { Cadence, Partition, Pipeline, RunContext } from "../model/Pipeline.ts"
import type { GapNote, TaskResult } from "../model/TaskResult.ts"
import { cursorCodec, Day, trustedThrough } from "./cursors.ts"
import { slotsToFill } from "./missingSlots.ts"
import { type Page, type PageSource, readPage } from "./readPage.ts"
import { hasPointsIn, type ReadDays, type Rereads, rereadWindows, resolveGaps } from "./rereads.ts"
import { failedResult, hasRows, resultOf } from "./taskResult.ts"

export interface DatedSeries<P extends Parameters, A> extends PageSource<P, A, VaultRef> {
  readonly name: string
  readonly title: string
  readonly cadence: Cadence
  /** Its name in mart.series. */
  readonly series: string
  readonly partitions: Pipeline<VaultRef>["partitions"]
  /** Longest window whose response is not cut off. */
  readonly windowDays: number
  /** Points a response can hold; a full one may be cut off. */
  readonly pointLimit?: number
  readonly inputs: (vault: VaultRef, days: DayRange) => Inputs<P>
}

const cursors = cursorCodec(
  Schema.Struct({
    through: Day,
    newest: Schema.NullOr(Day),
    from: Day,
    complete: Schema.Boolean,
  }),
)

/** The stored cursor; `undefined` if the whole series is to be read, because its first points may be of any day. */
const storedCursor = (
  partition: Partition<VaultRef>,
  state: PartitionState,
  context: RunContext,
): SeriesCursor | undefined => (context.full ? undefined : cursorBefore(partition, state, context))

const cursorBefore = (
  { entity }: Partition<VaultRef>,
  { cursor }: PartitionState,
  { today }: RunContext,
): SeriesCursor | undefined => {
  const stored = cursors.decode(cursor(entity))
  if (stored === undefined || (stored.complete && stored.newest === null)) return undefined
  const through = trustedThrough(stored.through, today)
  return through === undefined ? undefined : { ...stored, through }
}

/**
 * Whether a run found no point of any day, not long ago: a series that begins has points of the days since, but the service
 * may add older ones. Days that could not be read are requested with all others.
 */
const isKnownEmpty = (
  { windowDays }: { readonly windowDays: number },
  { entity }: Partition<VaultRef>,
  { cursor, openGaps }: PartitionState,
  { full, today, auditFullScanDays }: RunContext,
): boolean => {
  const stored = cursors.decode(cursor(entity))
  if (full || stored?.complete !== true || stored.newest !== null) return false
  const age = today - stored.through
  return openGaps.length === 0 && age >= 0 && age < Math.min(auditFullScanDays, windowDays)
}

export const datedSeries = <P extends Parameters, A>(
  series: DatedSeries<P, A>,
): Pipeline<VaultRef, A> => ({
  name: series.name,
  title: series.title,
  cadence: series.cadence,
  limitedBy: ["since", "until"],
  tables: series.tables,
  endpoint: series.endpoint,
  after: ["vaults"],
  partitions: series.partitions,
  rows: series.rows,
  read: (partition, state, context) => {
    const cursor = storedCursor(partition, state, context)
    const rereads = rereadsOf(series, cursor, state, context)
    return dateWindows({
      cursor,
      known: context.full ? cursorBefore(partition, state, context) : undefined,
      isKnownEmpty: isKnownEmpty(series, partition, state, context),
      gaps: rereadWindows(rereads, series.windowDays),
      hasPoints: hasPointsIn(rereads.slots),
      today: context.today,
      windowDays: series.windowDays,
      overlapDays: context.overlapDays,
      since: context.since,
      until: context.until,
      read: (window) =>
        Effect.map(
          readPage(series, partition, series.inputs(partition.subject, daysOf(window)), context),
          (page) => windowRead(page, context, series.pointLimit),
        ),
    }).pipe(
      Stream.mapAccum(
        (): ReadDays => new Set(),
        (before, step) => {
          const { readDays, notes } = resolveGaps(rereads, context, before, step)
          return [readDays, [taskResult(series, partition.entity, step, notes)]] as const
        },
      ),
    )
  },
  expectedRequests: (partition, state, context) =>
    expectedRequests(series, partition, state, context),
})

/** A page without its response, whose records would stay in memory until their rows have landed. */
interface DatedPage extends Omit<Page<unknown>, "value"> {
  /** Those of the points, and of days whose set is empty: such a day was read, although it has no row with its time. */
  readonly times: ReadonlyArray<number>
  /** Day of the oldest of them, without those dated in the future. */
  readonly oldest: number | undefined
}

const windowRead = (
  { value: _response, ...page }: Page<unknown>,
  { today }: RunContext,
  pointLimit = Infinity,
): WindowRead<DatedPage> => {
  const { rows } = page
  const points = page.times.length
  const emptyDays = rows.flatMap(({ table: { time = "" }, emptySets = [] }) =>
    emptySets.map((set) => startOfDay(Number(set[time]))),
  )
  const times = [...page.times, ...emptyDays]
  let first = Infinity
  let last = -Infinity
  for (const time of times) {
    // A point dated in the future says nothing of how far the series was read: others arrive before that date.
    if (time > endOfDay(today)) continue
    if (time < first) first = time
    if (time > last) last = time
  }
  const hasDays = first < Infinity
  const oldest = hasDays ? dayOf(first) : undefined
  return {
    content: { ...page, times, oldest },
    points: hasRows(rows) ? Math.max(points, 1) : 0,
    isEmpty: page.count === 0 && !hasRows(rows),
    oldest,
    newest: hasDays ? dayOf(last) : undefined,
    hasOnlyEmptyDays: hasDays && points === 0,
    startsLate: oldest !== undefined && first - startOfDay(oldest) >= MICROS_PER_HOUR,
    full: page.count >= pointLimit,
  }
}

/** Open gaps, and the missing slots on days that were read before and that this run does not read anyway. */
const rereadsOf = (
  { series }: { readonly series: string },
  cursor: SeriesCursor | undefined,
  { missingSlots, openGaps }: PartitionState,
  context: RunContext,
): Rereads => ({
  openGaps,
  slots: slotsToFill(
    missingSlots?.get(series),
    cursor === undefined
      ? undefined
      : { from: cursor.from, before: cursor.through - context.overlapDays },
    context,
  ),
})

/** The days to request: everything up to a day begins with the first there can be. */
const daysOf = ({ from, to }: DateWindow): DayRange => ({
  from: from ?? Math.min(FIRST_DAY, to),
  to,
})

const windowText = ({ from, to }: DateWindow): string =>
  `${from === undefined ? "" : formatDay(from)}..${formatDay(to)}`

const taskResult = (
  { series }: { readonly series: string },
  entity: string,
  step: WindowStep<DatedPage>,
  resolved: ReadonlyArray<GapNote>,
): TaskResult => {
  const window = windowText(step.window)
  const cursor =
    step.cursor === undefined ? {} : { cursor: { entity, value: cursors.encode(step.cursor) } }
  if (step._tag === "Failed") {
    const { error } = step
    const reason = error.reason._tag === "ContractViolation" ? "quarantined" : "failed"
    // A gap that stays open has the same key as the note that closes it: the last note is kept.
    const { missing } = step
    const gaps = [
      ...resolved,
      ...(missing === undefined ? [] : [gapOf(missing, reason, "open", error.detail)]),
    ]
    return { ...failedResult(window, error), series, covers: step.window, ...cursor, gaps }
  }
  const { from = step.content.oldest, to } = step.window
  const [broken] = step.content.rejected
  const cutOff = `one day has at least ${step.points} points, as many as a response can hold`
  return {
    ...resultOf(window, step.content),
    ...cursor,
    series,
    // The newest points up to a day say nothing about older days.
    covers: { from, to },
    // Without the days that are requested next, unless the gap stands for them: reading those closes a gap of the whole window.
    ...(from === undefined
      ? {}
      : {
          gapIfRefused: {
            from: step.rest === undefined || broken !== undefined ? from : step.rest.to + 1,
            to,
          },
        }),
    hadRows: step.suspicious,
    ...(step.ignoresDates
      ? {
          warning: `the service ignores startDate or endDate (${window} returned other days), so older points may be out of reach; if it uses other names, set wire.case, or wire.names for each`,
        }
      : {}),
    gaps: [
      ...resolved,
      ...(step.cutOff ? [gapOf({ from: to, to }, "truncated", "permanent", cutOff)] : []),
      // Which days lack a point is unknown: the window is read again.
      ...(broken === undefined || from === undefined
        ? []
        : [gapOf({ from, to }, "quarantined", "open", `${broken.path} ${broken.detail}`)]),
    ],
  }
}

const gapOf = (
  days: { readonly from: number; readonly to: number },
  reason: GapNote["reason"],
  state: GapNote["state"],
  detail: string,
): GapNote => ({ fromAt: startOfDay(days.from), toAt: endOfDay(days.to), reason, state, detail })

// A year, if the age of a vault is unknown.
const ASSUMED_DAYS = 365

const expectedRequests = (
  series: { readonly series: string; readonly windowDays: number },
  partition: Partition<VaultRef>,
  state: PartitionState,
  context: RunContext,
): number => {
  const { windowDays } = series
  if (isKnownEmpty(series, partition, state, context)) return 1
  const end = Math.min(context.today, context.until ?? context.today)
  const cursor = storedCursor(partition, state, context)
  // A full run reads again from where an earlier one found the beginning.
  const known = cursors.decode(state.cursor(partition.entity))
  const isComplete = known?.complete === true
  const start = Math.max(
    isComplete ? known.from : (partition.subject.startedOn ?? context.today - ASSUMED_DAYS),
    context.since ?? -Infinity,
  )
  const windows = (days: number) => Math.max(1, Math.ceil(days / windowDays))
  // One more for anything before the beginning, and an empty window if the beginning is unknown.
  if (cursor === undefined) return windows(end - start + 1) + (isComplete ? 1 : 2)
  const older = cursor.complete || cursor.from <= start ? 0 : windows(cursor.from - start) + 2
  const reread = rereadWindows(rereadsOf(series, cursor, state, context), windowDays).length
  // Newer points are one window, divided only if its response is full.
  const newer = Math.max(cursor.from, cursor.through - context.overlapDays) <= end ? 1 : 0
  return newer + older + reread
}
