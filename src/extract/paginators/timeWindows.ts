// Reads records that can be requested between two instants, newest first, both ends inclusive. The document does not
// say whether and at how many records a response is cut off (§4.3); only the responses show it.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { microsFromMillis, MICROS_PER_MILLI } from "../../domain/values/time.ts"
import { CAP_STEP, looksCutOff } from "./plausibleCap.ts"
import {
  extentOf,
  isKnownWhole,
  markOf,
  type PendingRead,
  type ResponseExtent,
  type TimeCursor,
  trusted,
  type WholeRead,
} from "./timeCursor.ts"

/** Windows overlap by this much, since the service may store finer or coarser times than the wire carries. */
const OVERLAP = 1_000_000

/** Microseconds since 1970, both ends inclusive; an absent end is open. */
export interface TimeWindow {
  readonly from?: number | undefined
  readonly to?: number | undefined
}

/** The content of one response; `times` are in microseconds, one for each record, in any order. */
export interface TimeRead<A> {
  readonly content: A
  readonly times: ReadonlyArray<number>
  /** The number of records, if some have no time. */
  readonly count?: number
}

export interface TimeWindows<A, E, R> {
  readonly cursor: TimeCursor | undefined
  /** How long before the high-water mark records may still arrive or change, in microseconds. */
  readonly overlap: number
  /** How long a response that was seen to be whole needs no second look, in microseconds. */
  readonly recheck: number
  readonly since: number | undefined
  readonly until: number | undefined
  readonly read: (window: TimeWindow) => Effect.Effect<TimeRead<A>, E, R>
}

export interface TimeStep<A> {
  readonly window: TimeWindow
  readonly content: A
  readonly count: number
  readonly cursor: TimeCursor | undefined
  /** Whether the window had records before and is now empty. */
  readonly suspicious: boolean
  /** An instant with more records than a response can hold, so that some of them can't be read. */
  readonly tie: number | undefined
  /** The instants between which the service may have records that no response had. */
  readonly unreached: { readonly after: number; readonly before: number } | undefined
  /** Whether the response has records after the window, because the service ignores its end. */
  readonly ignoresEnd: boolean
}

interface Pending extends PendingRead {
  /** `lookBack`: up to what is stored, to see whether the responses before should have reached it. */
  readonly purpose: "newest" | "forward" | "lookBack" | "backward"
  /** Whether to continue after every response with older records, even if it does not seem cut off. */
  readonly toTheEnd: boolean
  /** The time of the oldest record of the range so far. */
  readonly reached: number | undefined
  /** An instant that filled a whole response; only older records show whether it was cut off. */
  readonly filled: number | undefined
  /** Whether the response before may have been cut off by its size. */
  readonly full: boolean
  /** The response that this window continues. */
  readonly before: ResponseExtent | undefined
}

/** Microseconds since 1970: when the reading began. */
interface Begun {
  readonly now: number
}

interface State {
  readonly cursor: TimeCursor | undefined
  readonly pending: ReadonlyArray<Pending>
}

export const timeWindows = <A, E, R>(
  options: TimeWindows<A, E, R>,
): Stream.Stream<TimeStep<A>, E, R> =>
  Stream.unwrap(
    Effect.map(Clock.currentTimeMillis, (millis) => {
      const now = microsFromMillis(millis)
      return windowsAt({ ...options, now, cursor: trusted(options.cursor, now) })
    }),
  )

const windowsAt = <A, E, R>(
  options: TimeWindows<A, E, R> & Begun,
): Stream.Stream<TimeStep<A>, E, R> => {
  const advance = Effect.fnUntraced(function* (state: State) {
    const [range, ...rest] = state.pending
    if (range === undefined) return [[], Option.none()] as const
    const window: TimeWindow = { from: range.from, to: range.to }
    const response = yield* options.read(window)
    const { step, next } = afterRead(options, state.cursor, range, window, response)
    return [
      [step],
      Option.some<State>({
        cursor: step.cursor,
        pending: next === undefined ? rest : [next, ...rest],
      }),
    ] as const
  })
  return Stream.paginate(start(options), advance)
}

const initialProgress = {
  newest: undefined,
  reached: undefined,
  filled: undefined,
  full: false,
  before: undefined,
} as const

const start = <A, E, R>({
  cursor,
  overlap,
  since,
  until,
  now,
}: TimeWindows<A, E, R> & Begun): State => {
  const range = cursor?.pending
  const pending: Array<Pending> = []
  if (range !== undefined) {
    pending.push({
      ...initialProgress,
      ...range,
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
  const from = Math.max(cursor?.from ?? -Infinity, through - overlap - OVERLAP)
  if (until === undefined || until >= from) {
    pending.push({ ...initialProgress, from, to: until, purpose: "forward", toTheEnd: false })
  }
  const read = cursor?.from
  if (read !== undefined && (since ?? -Infinity) < read) {
    const to = read + OVERLAP
    pending.push({ ...initialProgress, from: since, to, purpose: "backward", toTheEnd: true })
  }
  return { cursor, pending }
}

const afterRead = <A, E, R>(
  { since, now, recheck }: TimeWindows<A, E, R> & Begun,
  cursor: TimeCursor | undefined,
  range: Pending,
  window: TimeWindow,
  { content, times, count = times.length }: TimeRead<A>,
): { readonly step: TimeStep<A>; readonly next: Pending | undefined } => {
  const largest = Math.max(cursor?.largest ?? count, count)
  const oldest = times.reduce((least, time) => Math.min(least, time), Infinity)
  const top = times.reduce((most, time) => Math.max(most, time), range.newest ?? -Infinity)
  const newest = top === -Infinity ? undefined : Math.min(top, now)
  const ignoresEnd = times.some((time) => time > (window.to ?? Infinity) + OVERLAP)
  const through = cursor?.through ?? Infinity
  const reached = Math.min(oldest, range.reached ?? Infinity)
  const looksBack = range.purpose === "lookBack"
  const older = oldest < (range.reached ?? Infinity)
  const extent = extentOf(count, times)
  const isKnown = isKnownWhole(cursor?.whole, extent, { now, recheck })
  const full = count > 0 && ((count >= largest && !isKnown) || looksCutOff(count))
  // A window for what is new begins before the newest record stored: a whole response has that one.
  const misses = range.purpose === "forward" && oldest > through && !isKnown
  // A service may cut off a response for another reason than its size, which only another request shows.
  const mayHaveMore = full || ((range.toTheEnd || misses) && older)
  const ended = count === 0 || !mayHaveMore || (ignoresEnd && !older)
  const before = older ? extent : range.before
  // A window that ends at the oldest record shows that nothing is older only by this record.
  const showsEnd =
    !older &&
    !ignoresEnd &&
    (count === 0 ? range.filled !== undefined || looksBack : extent !== undefined)
  const known = showsEnd ? range.before : undefined
  const stopsShort =
    range.purpose === "forward" &&
    !ignoresEnd &&
    !isKnown &&
    reached > through &&
    reached < Infinity
  const purpose = looksBack ? "newest" : range.purpose
  const next = !ended
    ? olderRange({ ...range, purpose, before, full }, newest, oldest, times)
    : stopsShort
      ? lookBack({ ...range, newest, reached, before: known }, through)
      : undefined
  const whole =
    next === undefined && ended && known !== undefined ? { ...known, at: now } : undefined
  const tie =
    range.filled !== undefined && range.full && older
      ? range.filled
      : // This many records at one instant are probably a cut-off response, even if nothing older follows.
        next?.filled !== undefined && count >= CAP_STEP
        ? next.filled
        : undefined
  const unreached =
    looksBack && older && range.reached !== undefined
      ? { after: through, before: range.reached }
      : undefined
  const suspicious =
    range.purpose === "forward" &&
    range.reached === undefined &&
    count === 0 &&
    (range.to ?? Infinity) >= through
  const nextCursor: TimeCursor | undefined = suspicious
    ? cursor
    : cursorAfter(cursor, range, next, { newest, largest, since, whole })
  return {
    step: { window, content, count, cursor: nextCursor, suspicious, tie, unreached, ignoresEnd },
    next,
  }
}

/**
 * The next window into the past. It repeats the oldest records of the response if it would still exclude some others.
 */
const olderRange = (
  range: Pending,
  newest: number | undefined,
  oldest: number,
  times: ReadonlyArray<number>,
): Pending | undefined => {
  const excludesSome = (to: number): boolean =>
    to < (range.to ?? Infinity) && times.some((time) => time > to)
  const shared = oldest + OVERLAP
  const exact = Math.ceil(oldest / MICROS_PER_MILLI) * MICROS_PER_MILLI
  const to = [shared, exact].find(excludesSome)
  const reached = Math.min(oldest, range.reached ?? Infinity)
  const onward = { ...range, newest, reached }
  if (to !== undefined) return nonEmpty({ ...onward, to, filled: undefined })
  // A service that compares coarser times would return the same records again, so more time is skipped.
  const again = range.filled !== undefined && oldest >= range.filled
  const beyond = (range.to ?? Infinity) - (again ? OVERLAP : MICROS_PER_MILLI)
  return nonEmpty({ ...onward, to: Math.min(exact - MICROS_PER_MILLI, beyond), filled: oldest })
}

/**
 * The window that shows whether the newest record stored is gone, or whether the service only returned nothing from before the
 * oldest record, as one that cuts off by age does after a month without records.
 */
const lookBack = (range: Pending, through: number): Pending | undefined =>
  nonEmpty({ ...range, to: through + OVERLAP, filled: undefined, purpose: "lookBack" })

/** Returns `undefined` for a range that ends before its start. */
const nonEmpty = (range: Pending): Pending | undefined =>
  range.from !== undefined && range.to !== undefined && range.to < range.from ? undefined : range

const cursorAfter = (
  cursor: TimeCursor | undefined,
  range: Pending,
  next: Pending | undefined,
  read: {
    readonly newest: number | undefined
    readonly largest: number
    readonly since: number | undefined
    readonly whole: WholeRead | undefined
  },
): TimeCursor | undefined => {
  const { newest, largest, since, whole = cursor?.whole } = read
  const from = cursor === undefined ? since : cursor.from
  const before = { through: cursor?.through, from, largest, whole }
  if (next !== undefined) {
    const { from: lowest } = next
    // After an interruption the last window is requested again, and then the one that looks back.
    const to = next.purpose === "lookBack" ? range.to : next.to
    return range.purpose === "backward"
      ? // A backfill needs no pending range: after an interruption it continues from the bound of what was read.
        { ...before, from: next.reached, pending: undefined }
      : { ...before, pending: { from: lowest, to, newest } }
  }
  if (range.purpose === "backward") return { ...before, from: since, pending: undefined }
  if (newest === undefined && cursor === undefined) return undefined
  const through = Math.max(newest ?? -Infinity, cursor?.through ?? -Infinity)
  return { ...before, through: through === -Infinity ? undefined : through, pending: undefined }
}
