// Ranges of a dated series that a run reads again, and the gaps this resolves: one whose days were read is closed,
// a slot that is still missing becomes a permanent gap.
import { dayOf, formatDay, startOfDay } from "../../domain/values/time.ts"
import type { DayRange } from "../../extract/paginators/dateWindow.ts"
import type { WindowStep } from "../../extract/paginators/dateWindows.ts"
import type { MissingSlots, OpenGap } from "../model/PartitionState.ts"
import type { RunContext } from "../model/Pipeline.ts"
import type { GapNote } from "../model/TaskResult.ts"
import { permanentGaps, stillMissing } from "./missingSlots.ts"

export interface Rereads {
  /** Absent in a run that does not fill gaps. */
  readonly slots: MissingSlots | undefined
  /** Ranges an earlier run could not read. */
  readonly openGaps: ReadonlyArray<OpenGap>
}

const gapDays = ({ fromAt, toAt }: OpenGap): DayRange => ({ from: dayOf(fromAt), to: dayOf(toAt) })

const daysOf = ({ from, to }: DayRange): ReadonlyArray<number> =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at)

/**
 * A window for each open gap, so that an error in one does not affect another, but one for those that overlap or adjoin, as
 * far as a window holds them: what stays broken leaves another such gap every day. With missing slots, the fewest windows
 * that hold them all.
 */
export const rereadWindows = (
  { slots, openGaps }: Rereads,
  windowDays: number,
): ReadonlyArray<DayRange> =>
  slots === undefined
    ? joinedGaps(openGaps, windowDays)
    : missingSlotWindows(slots, openGaps, windowDays)

/** None is divided, so that a failure in one of its parts does not open it anew beside a gap of that part. */
const joinedGaps = (
  openGaps: ReadonlyArray<OpenGap>,
  windowDays: number,
): ReadonlyArray<DayRange> => {
  const windows: Array<{ from: number; to: number }> = []
  for (const { from, to } of openGaps.map(gapDays).toSorted((a, b) => a.from - b.from)) {
    const last = windows.at(-1)
    const fits = last !== undefined && (to <= last.to || to - last.from < windowDays)
    if (fits && from <= last.to + 1) last.to = Math.max(to, last.to)
    else windows.push({ from, to })
  }
  return windows
}

/**
 * The fewest windows of at most `windowDays` days that hold every missing slot and open gap. A window that begins with
 * a missing slot starts a day earlier, and one with nothing but missing slots ends a day later, if that day is known
 * to have points and the window stays within `windowDays`: a response with points there is complete, whatever else it
 * lacks.
 */
export const missingSlotWindows = (
  slots: MissingSlots,
  openGaps: ReadonlyArray<OpenGap>,
  windowDays: number,
): ReadonlyArray<DayRange> => {
  const lacking = lackingDays(slots)
  const wanted = new Set([
    ...lacking.map(({ day }) => day),
    ...openGaps.flatMap((gap) => daysOf(gapDays(gap))),
  ])
  const windows: Array<{ from: number; to: number }> = []
  for (const day of [...wanted].toSorted((a, b) => a - b)) {
    const last = windows.at(-1)
    if (last !== undefined && day - last.from < windowDays) last.to = day
    else windows.push({ from: day, to: day })
  }
  const beginLacking = new Set(
    lacking
      .filter(({ day, missing, present }) => present === 0 || missing[0] === startOfDay(day))
      .map(({ day }) => day),
  )
  const hasPoints = hasPointsIn(slots)
  return windows.map(({ from, to }) => {
    const wide = { from, to }
    const hasRoom = () => wide.to - wide.from + 1 < windowDays
    if (beginLacking.has(from) && hasPoints(from - 1) && hasRoom()) wide.from -= 1
    if (!daysOf({ from, to }).some(hasPoints) && hasPoints(to + 1) && hasRoom()) wide.to += 1
    return wide
  })
}

const lackingDays = (slots: MissingSlots | undefined): MissingSlots["days"] =>
  slots?.days.filter(({ missing }) => missing.length > 0) ?? []

/** Whether a day is known to have points, as far as that was read together with the missing slots. */
export const hasPointsIn = (slots: MissingSlots | undefined): ((day: number) => boolean) => {
  const known = new Set(slots?.days.filter(({ present }) => present > 0).map(({ day }) => day))
  return (day) => known.has(day)
}

/** Days with a missing slot or an open gap that this run has read, or has recorded another gap for. */
export type ReadDays = ReadonlySet<number>

/** The days that a step has read, or that the gap it records stands for, in place of those inside. */
const settledDays = (
  step: WindowStep<{ readonly rejected: ReadonlyArray<unknown> }>,
  slots: MissingSlots | undefined,
): DayRange | undefined => {
  if (step._tag === "Failed") return step.missing
  if (step.content.rejected.length === 0) return step.covered
  // A rejected record may be of any day, so all of them are recorded as a gap, and none counts as read. A run that fills gaps
  // may divide one between windows, so it closes none for that.
  const { from, to } = step.window
  return from === undefined || slots !== undefined ? undefined : { from, to }
}

/** The days read after this step, and what became of the gaps on them. */
export const resolveGaps = (
  { slots, openGaps }: Rereads,
  context: RunContext,
  before: ReadDays,
  step: WindowStep<{
    readonly times: ReadonlyArray<number>
    readonly rejected: ReadonlyArray<unknown>
  }>,
): { readonly readDays: ReadDays; readonly notes: ReadonlyArray<GapNote> } => {
  const days = settledDays(step, slots)
  if (days === undefined) return { readDays: before, notes: [] }
  const lacking = lackingDays(slots)
  const isNew = (day: number) => day >= days.from && day <= days.to && !before.has(day)
  const wanted = [
    ...lacking.map(({ day }) => day),
    ...openGaps.flatMap((gap) => daysOf(gapDays(gap))),
  ]
  const readDays = new Set([...before, ...wanted.filter(isNew)])
  const closed = openGaps
    .filter((gap) => {
      const ofGap = daysOf(gapDays(gap))
      return ofGap.some(isNew) && ofGap.every((day) => readDays.has(day))
    })
    .map((gap): GapNote => ({
      ...gap,
      reason: "failed",
      state: "closed",
      detail: `read again on ${formatDay(context.today)}`,
    }))
  if (slots === undefined || step._tag === "Failed") return { readDays, notes: closed }
  const missing = lacking.filter(({ day }) => isNew(day)).flatMap((each) => each.missing)
  const still = stillMissing(missing, slots, step.content.times)
  return { readDays, notes: [...closed, ...permanentGaps(still, slots, context)] }
}
