// What a run asks a dated series for again, and what the answers settle: what came closes its gap, what did not
// come although the service was asked is given up for good.
import { dayOf, formatDay, startOfDay } from "../../domain/time.ts"
import type { DayRange } from "../../extract/paginators/dateWindow.ts"
import type { WindowStep } from "../../extract/paginators/dateWindows.ts"
import { givenUp } from "./holes.ts"
import type { GapNote, Holes, Memory, RunContext } from "../Pipeline.ts"

type OpenGap = Memory["openGaps"][number]

export interface AskedAgain {
  /** Absent where only open gaps are asked for. */
  readonly holes: Holes | undefined
  /** Ranges an earlier run could not read. */
  readonly openGaps: ReadonlyArray<OpenGap>
}

const gapDays = ({ fromAt, toAt }: OpenGap): DayRange => ({ from: dayOf(fromAt), to: dayOf(toAt) })

const daysOf = ({ from, to }: DayRange): ReadonlyArray<number> =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at)

/** Open gaps each by itself, since what breaks one must not hide another; with holes, as few as hold them all. */
export const windowsAgain = (
  { holes, openGaps }: AskedAgain,
  windowDays: number,
): ReadonlyArray<DayRange> =>
  holes === undefined ? openGaps.map(gapDays) : holeWindows(holes, openGaps, windowDays)

/**
 * The fewest windows of at most `windowDays` days that hold every hole and open gap. One that begins with a
 * hole is made a day longer before it, where there is room and the day is known: an answer that reaches it is
 * whole. So is one of nothing but holes after them: the points there prove that an answer without the others
 * is one.
 */
export const holeWindows = (
  holes: Holes,
  openGaps: ReadonlyArray<OpenGap>,
  windowDays: number,
): ReadonlyArray<DayRange> => {
  const lacking = holes.days.filter(({ missing }) => missing.length > 0)
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
  const hasPoints = isKnown(holes)
  return windows.map(({ from, to }) => {
    const wide = { from, to }
    const hasRoom = () => wide.to - wide.from + 1 < windowDays
    if (beginLacking.has(from) && hasPoints(from - 1) && hasRoom()) wide.from -= 1
    if (!daysOf({ from, to }).some(hasPoints) && hasPoints(to + 1) && hasRoom()) wide.to += 1
    return wide
  })
}

/** Whether a day is known to have points, as far as that was asked for with the holes. */
export const isKnown = (holes: Holes | undefined): ((day: number) => boolean) => {
  const known = new Set(holes?.days.filter(({ present }) => present > 0).map(({ day }) => day))
  return (day) => known.has(day)
}

/** Days that were answered for, or whose failure was noted; of those with a hole or an open gap. */
export type Settled = ReadonlySet<number>

/** What a step settles: notes of open gaps that are closed by it, and of holes that are given up. */
export const settle = (
  { holes, openGaps }: AskedAgain,
  context: RunContext,
  before: Settled,
  step: WindowStep<{ readonly times: ReadonlyArray<number> }>,
): { readonly settled: Settled; readonly notes: ReadonlyArray<GapNote> } => {
  const days = step._tag === "Read" ? step.covered : step.window
  if (days === undefined) return { settled: before, notes: [] }
  const lacking = holes?.days.filter(({ missing }) => missing.length > 0) ?? []
  const isNew = (day: number) => day >= days.from && day <= days.to && !before.has(day)
  const wanted = [
    ...lacking.map(({ day }) => day),
    ...openGaps.flatMap((gap) => daysOf(gapDays(gap))),
  ]
  const settled = new Set([...before, ...wanted.filter(isNew)])
  const closed = openGaps
    .filter((gap) => {
      const ofGap = daysOf(gapDays(gap))
      return ofGap.some(isNew) && ofGap.every((day) => settled.has(day))
    })
    .map((gap): GapNote => ({
      ...gap,
      reason: "failed",
      state: "closed",
      detail: `read again on ${formatDay(context.today)}`,
    }))
  if (holes === undefined || step._tag === "Failed") return { settled, notes: closed }
  const { slotMicros } = holes
  const found = new Set(
    step.content.times.map((time) => Math.floor(time / slotMicros) * slotMicros),
  )
  const still = lacking
    .filter(({ day }) => isNew(day))
    .flatMap(({ missing }) => missing)
    .filter((slot) => !found.has(slot))
  return { settled, notes: [...closed, ...givenUp(still, holes, context)] }
}
