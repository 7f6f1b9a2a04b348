// Chooses the windows of a history that is read by time: those a reading begins with, and the next ones into the past.
import { MICROS_PER_MILLI } from "../../domain/values/time.ts"
import { markOf, type PendingRead, type ResponseExtent, type TimeCursor } from "./timeCursor.ts"

/** Windows overlap by this much, since the service may store finer or coarser times than the wire carries. */
export const OVERLAP = 1_000_000

/** Finer ends are sent only where times of records are that close to each other: not every service may read them. */
const wholeMillis = (micros: number): number =>
  Math.floor(micros / MICROS_PER_MILLI) * MICROS_PER_MILLI

export interface Pending extends PendingRead {
  /** Whether an earlier run began it. */
  readonly isResumed?: boolean
  /** `lookBack`: up to what is stored, to see whether the responses before should have reached it. */
  readonly purpose: "newest" | "forward" | "lookBack" | "backward"
  /** Whether to continue after every response with older records, even if it does not seem cut off. */
  readonly toTheEnd: boolean
  /** The time of the oldest record of the range so far. */
  readonly reached: number | undefined
  /**
   * An instant that filled a whole response, of which only older records show whether it was cut off. Where the window ends at it,
   * the response filled a millisecond: that the record of the instant is missing shows that the service compares no finer times.
   */
  readonly filled: number | undefined
  /** Whether the response before may have been cut off by its size. */
  readonly full: boolean
  /** The response that this window continues. */
  readonly before: ResponseExtent | undefined
}

export interface Begin {
  readonly cursor: TimeCursor | undefined
  readonly overlap: number
  readonly since: number | undefined
  readonly until: number | undefined
  /** Microseconds since 1970: when the reading began. */
  readonly now: number
}

const initialProgress = {
  newest: undefined,
  reached: undefined,
  filled: undefined,
  full: false,
  before: undefined,
} as const

export interface Start {
  readonly cursor: TimeCursor | undefined
  readonly pending: ReadonlyArray<Pending>
}

export const start = ({ cursor, overlap, since, until, now }: Begin): Start => {
  const range = cursor?.pending
  const pending: Array<Pending> = []
  if (range !== undefined) {
    pending.push({
      ...initialProgress,
      ...range,
      isResumed: true,
      reached: range.to,
      purpose: "forward",
      toTheEnd: true,
    })
  }
  const through = Math.min(markOf(cursor), now)
  if (through === -Infinity) {
    if (range === undefined) {
      pending.push({
        ...initialProgress,
        from: since,
        to: until,
        purpose: "newest",
        toTheEnd: true,
      })
    }
    return { cursor, pending }
  }
  const from = Math.max(cursor?.from ?? -Infinity, wholeMillis(through - overlap - OVERLAP))
  if (until === undefined || until >= from) {
    pending.push({ ...initialProgress, from, to: until, purpose: "forward", toTheEnd: false })
  }
  const read = cursor?.from
  if (read !== undefined && (since ?? -Infinity) < read) {
    const to = wholeMillis(read + OVERLAP)
    pending.push({ ...initialProgress, from: since, to, purpose: "backward", toTheEnd: true })
  }
  return { cursor, pending }
}

/** What is new, if the range that an earlier run began can't be continued; `undefined` if that range includes it. */
export const startWithoutResumed = (
  options: Begin,
  cursor: TimeCursor | undefined,
): Start | undefined =>
  cursor === undefined || markOf(cursor) === -Infinity
    ? undefined
    : start({
        ...options,
        cursor: { ...cursor, through: markOf(cursor), pending: undefined },
        // What --since left out before is not new.
        since: cursor.from,
      })

export const endsAtFilled = ({ to, filled }: Pending): boolean =>
  filled !== undefined && to === filled

/**
 * The next window into the past. It repeats the oldest records of the response if it would still exclude some others.
 */
export const olderRange = (
  range: Pending,
  newest: number | undefined,
  oldest: number,
  times: ReadonlyArray<number>,
): Pending | undefined => {
  const excludesSome = (to: number): boolean =>
    to < (range.to ?? Infinity) && times.some((time) => time > to)
  const shared = wholeMillis(oldest + OVERLAP)
  const rounded = Math.ceil(oldest / MICROS_PER_MILLI) * MICROS_PER_MILLI
  const to = [shared, rounded, oldest].find(excludesSome)
  const reached = Math.min(oldest, range.reached ?? Infinity)
  const onward = { ...range, newest, reached }
  if (to !== undefined) {
    return nonEmpty({ ...onward, to, filled: to < rounded ? oldest : undefined })
  }
  // A service that compares coarser times would return the same records again, so more time is skipped.
  const again = range.filled !== undefined && !endsAtFilled(range) && oldest >= range.filled
  const step = oldest === rounded ? MICROS_PER_MILLI : 1
  const beyond = (range.to ?? Infinity) - (again ? OVERLAP : step)
  return nonEmpty({ ...onward, to: Math.min(oldest - step, beyond), filled: oldest })
}

/**
 * The window that shows whether the newest record stored is gone, or whether the service only returned nothing from before the
 * oldest record, as one that cuts off by age does after a month without records.
 */
export const lookBack = (range: Pending, through: number): Pending | undefined =>
  nonEmpty({ ...range, to: wholeMillis(through + OVERLAP), filled: undefined, purpose: "lookBack" })

/** Returns `undefined` for a range that ends before its start. */
const nonEmpty = (range: Pending): Pending | undefined =>
  range.from !== undefined && range.to !== undefined && range.to < range.from ? undefined : range
