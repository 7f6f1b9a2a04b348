// Hours and days missing inside the known range of a series: which of them `sync --fill-gaps` requests again, and
// the permanent gaps recorded for those that the service still does not have.
import { formatDay } from "../../domain/values/time.ts"
import type { MissingSlots } from "../model/PartitionState.ts"
import type { RunContext } from "../model/Pipeline.ts"
import type { GapNote } from "../model/TaskResult.ts"

/** Days that earlier runs read and this run does not read anyway: `before` is exclusive. */
export interface OldDays {
  readonly from?: number
  readonly before: number
}

/** The missing slots of a series on old days within the run's range. */
export const slotsToFill = (
  slots: MissingSlots | undefined,
  old: OldDays | undefined,
  { since = -Infinity, until = Infinity, full }: RunContext,
): MissingSlots | undefined => {
  if (slots === undefined || old === undefined || full) return undefined
  const from = Math.max(since, old.from ?? -Infinity)
  const isWanted = (day: number) => day >= from && day < old.before && day <= until
  return {
    ...slots,
    days: slots.days.map((each) => (isWanted(each.day) ? each : { ...each, missing: [] })),
  }
}

/** Starts of the missing hours or days, microseconds since 1970 UTC. */
export const missingIn = (slots: MissingSlots | undefined): ReadonlyArray<number> =>
  slots?.days.flatMap(({ missing }) => missing) ?? []

/** The slots of `missing` that have no point at any of `times`. */
export const stillMissing = (
  missing: ReadonlyArray<number>,
  { slotMicros }: MissingSlots,
  times: ReadonlyArray<number>,
): ReadonlyArray<number> => {
  const found = new Set(times.map((time) => Math.floor(time / slotMicros) * slotMicros))
  return missing.filter((slot) => !found.has(slot))
}

/** One permanent gap for each unbroken sequence of slots. */
export const permanentGaps = (
  slots: ReadonlyArray<number>,
  { slotMicros }: MissingSlots,
  { today }: RunContext,
  why = "requested again and still missing",
): ReadonlyArray<GapNote> => {
  const ranges: Array<{ fromAt: number; toAt: number }> = []
  for (const slot of slots.toSorted((a, b) => a - b)) {
    const last = ranges.at(-1)
    if (last !== undefined && last.toAt + 1 === slot) last.toAt = slot + slotMicros - 1
    else ranges.push({ fromAt: slot, toAt: slot + slotMicros - 1 })
  }
  return ranges.map((range) => ({
    ...range,
    reason: "unreachable",
    state: "permanent",
    detail: `${why}, on ${formatDay(today)}`,
  }))
}
