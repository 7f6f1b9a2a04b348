// Groups of pipelines and the maintenance of a lake, each with a cron expression: which are due now, and when they
// fire next. Pure.
import * as Cron from "effect/Cron"
import { pipelines } from "../pipelines.ts"
import type { Cadence } from "../model/Pipeline.ts"

export interface Group {
  readonly name: Cadence | "maintenance"
  readonly cron: Cron.Cron
  /** Empty for the maintenance. */
  readonly pipelines: ReadonlyArray<string>
}

export const isMaintenance = ({ name }: Group): boolean => name === "maintenance"

/** The maintenance of a lake. */
export const maintenanceGroup = (expression: string): Group => ({
  name: "maintenance",
  cron: Cron.parseUnsafe(expression, "UTC"),
  pipelines: [],
})

/** A group for each cadence that has selected pipelines; all pipelines are selected if `names` is empty. */
export const groupsOf = (
  expressions: Readonly<Record<Cadence, string>>,
  names: ReadonlyArray<string>,
): ReadonlyArray<Group> =>
  (["hourly", "daily"] as const)
    .map((cadence) => ({
      name: cadence,
      cron: Cron.parseUnsafe(expressions[cadence], "UTC"),
      pipelines: pipelines
        .filter((pipeline) => pipeline.cadence === cadence)
        .map(({ name }) => name)
        .filter((name) => names.length === 0 || names.includes(name)),
    }))
    .filter((group) => group.pipelines.length > 0)

/** When each group last started a run, milliseconds since 1970; a group that never ran is absent. */
export type LastStarts = ReadonlyMap<string, number>

/** The newest firing at or before `now`, milliseconds since 1970. `Cron.prev` is strict, hence the millisecond. */
const newestFiring = ({ cron }: Group, now: number): number =>
  Cron.prev(cron, new Date(now + 1)).getTime()

/**
 * Groups with a firing since their last start. Several missed firings (a machine asleep, a long run) make a group due
 * once: reading is incremental, so one run catches up with all of them. A group that never ran is due at once, and so is
 * one whose last start is still to come: the clock was ahead then, and waiting for it could take days.
 */
export const dueGroups = (
  groups: ReadonlyArray<Group>,
  lastStarts: LastStarts,
  now: number,
): ReadonlyArray<Group> =>
  groups.filter((group) => {
    const last = lastStarts.get(group.name)
    return last === undefined || !(last <= now) || newestFiring(group, now) > last
  })

/** The next `count` firings of a group after `now`, milliseconds since 1970. */
export const nextFirings = ({ cron }: Group, now: number, count: number): ReadonlyArray<number> => {
  const firings = Cron.sequence(cron, new Date(now))
  return Array.from({ length: count }, () => (firings.next().value as Date).getTime())
}

/** The earliest next firing of all groups, milliseconds since 1970. */
export const nextFiring = (groups: ReadonlyArray<Group>, now: number): number =>
  Math.min(...groups.map(({ cron }) => Cron.next(cron, new Date(now)).getTime()))
