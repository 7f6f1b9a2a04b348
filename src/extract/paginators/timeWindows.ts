// Reads records that can be requested between two instants, newest first, both ends inclusive. The document does not
// say whether and at how many records a response is cut off (§4.3); only the responses show it.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { microsFromMillis } from "../../domain/values/time.ts"
import {
  endsAtFilled,
  lookBack,
  olderRange,
  OVERLAP,
  type Pending,
  type Start,
  start,
  startWithoutResumed,
} from "./nextTimeWindows.ts"
import { CAP_STEP, looksCutOff } from "./plausibleCap.ts"
import {
  extentOf,
  isKnownWhole,
  markOf,
  type TimeCursor,
  trusted,
  type WholeRead,
} from "./timeCursor.ts"
import { isOfOneWindow } from "./windowErrors.ts"

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

/** Microseconds since 1970: when the reading began. */
interface Begun {
  readonly now: number
}

interface State<E> extends Start {
  /** Why the range that an earlier run began can't be continued, and its cursor, which stays while what is new is read. */
  readonly stuck?: { readonly error: E; readonly cursor: TimeCursor | undefined }
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
  const advance = Effect.fnUntraced(function* (state: State<E>) {
    const { cursor, stuck } = state
    const [range, ...rest] = state.pending
    if (range === undefined) {
      if (stuck !== undefined) return yield* Effect.fail(stuck.error)
      return [[], Option.none()] as const
    }
    const window: TimeWindow = { from: range.from, to: range.to }
    const response = yield* Effect.result(options.read(window))
    if (Result.isFailure(response)) {
      const error = response.failure
      // An old range that keeps failing must not keep back what is new.
      const others =
        range.isResumed === true && isOfOneWindow(error)
          ? startWithoutResumed(options, cursor)
          : undefined
      if (others === undefined) return yield* Effect.fail(stuck?.error ?? error)
      return [[], Option.some<State<E>>({ ...others, stuck: { error, cursor } })] as const
    }
    const { step, next } = afterRead(options, cursor, range, window, response.success)
    const pending = next === undefined ? rest : [next, ...rest]
    return [
      [stuck === undefined ? step : { ...step, cursor: stuckAt(stuck.cursor, step, pending) }],
      Option.some<State<E>>({ ...state, cursor: step.cursor, pending }),
    ] as const
  })
  return Stream.paginate<State<E>, TimeStep<A>, E, R>(start(options), advance)
}

/** The cursor of a range that can't be continued, once all that is new has been read. */
const stuckAt = (
  cursor: TimeCursor | undefined,
  step: TimeStep<unknown>,
  pending: ReadonlyArray<Pending>,
): TimeCursor | undefined =>
  cursor === undefined || pending.length > 0
    ? undefined
    : { ...cursor, pending: { ...cursor.pending, newest: markOf(step.cursor) } }

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
  const isFilledBeyond =
    !endsAtFilled(range) || times.every((time) => time < (range.to ?? Infinity))
  const tie =
    range.filled !== undefined && range.full && older && isFilledBeyond
      ? range.filled
      : // This many records at one instant are probably a cut-off response, even if nothing older follows.
        next?.filled !== undefined && !endsAtFilled(next) && count >= CAP_STEP
        ? next.filled
        : undefined
  const unreached =
    looksBack && older && range.reached !== undefined
      ? { after: through, before: range.reached }
      : undefined
  const mark = markOf(cursor)
  // A window that does not hold the newest record stored may have none.
  const suspicious =
    range.purpose === "forward" &&
    range.reached === undefined &&
    count === 0 &&
    Number.isFinite(mark) &&
    mark >= (range.from ?? -Infinity) &&
    mark <= (range.to ?? Infinity)
  const nextCursor: TimeCursor | undefined = suspicious
    ? cursor
    : cursorAfter(cursor, range, next, { newest, largest, since, whole })
  return {
    step: { window, content, count, cursor: nextCursor, suspicious, tie, unreached, ignoresEnd },
    next,
  }
}

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
