// Reads a series that can be requested by date: first completely, then only its new end. Every window is committed with
// its cursor, so a stop at any moment loses only the few windows that were being read.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { invariant } from "../../domain/invariant.ts"
import type { ApiError } from "../../domain/wire/errors.ts"
import { coveredBy, cursorAfterFailure, cursorAfterRead, missingIn } from "./coveredDays.ts"
import {
  type Bounds,
  type DateWindow,
  type DayRange,
  ignoresDates,
  isReadToItsStart,
  lacksKnownDay,
  type Pending,
  type SeriesCursor,
  type State,
  stopsShortAt,
  type WindowRead,
} from "./dateWindow.ts"
import { backward, proceed, remainder, split } from "./nextDateWindows.ts"
import { isOfOneWindow } from "./windowErrors.ts"

export interface DateWindows<A, E, R> {
  readonly cursor: SeriesCursor | undefined
  /** What earlier runs have read, if this one reads it all again without a cursor. */
  readonly known?: SeriesCursor | undefined
  readonly isKnownEmpty?: boolean
  /** Ranges to read again. They come first. */
  readonly gaps: ReadonlyArray<DayRange>
  /** Whether a day has stored points; an empty response for a gap with such a day is suspicious. */
  readonly hasPoints?: (day: number) => boolean
  readonly today: number
  /** The length of the longest window whose response is not cut off. */
  readonly windowDays: number
  readonly overlapDays: number
  readonly since: number | undefined
  readonly until: number | undefined
  readonly read: (window: DateWindow) => Effect.Effect<WindowRead<A>, ApiError | E, R>
}

export type WindowStep<A> =
  | {
      readonly _tag: "Read"
      readonly window: DateWindow
      readonly content: A
      readonly points: number
      /** Requested next because the response stopped short: the days of the window up to the response's oldest, included. */
      readonly rest: DateWindow | undefined
      readonly cursor: SeriesCursor | undefined
      /** The days with nothing left to read, including gaps; `undefined` for a suspicious response. */
      readonly covered: DayRange | undefined
      /** Whether the window had points before and is now empty. */
      readonly suspicious: boolean
      /** Whether a single day has more points than a response can hold, so that the rest can't be read. */
      readonly cutOff: boolean
      /** Whether the service returned other days than requested; the cursor stays, and nothing more is requested. */
      readonly ignoresDates: boolean
    }
  | {
      readonly _tag: "Failed"
      readonly window: DayRange
      /** The days of it to be recorded as a gap: those that no run has read; `undefined` if all have been. */
      readonly missing: DayRange | undefined
      readonly error: ApiError
      readonly cursor: SeriesCursor | undefined
    }

const MAX_FAILURES_IN_A_ROW = 2

export const dateWindows = <A, E, R>(
  options: DateWindows<A, E, R>,
): Stream.Stream<WindowStep<A>, ApiError | E, R> => {
  const end = Math.min(options.today, options.until ?? options.today)
  const advance = Effect.fnUntraced(function* (state: State) {
    const [window, ...rest] = state.pending
    if (window === undefined) return [[], Option.none()] as const
    const remaining = { ...state, pending: rest }
    const outcome = yield* Effect.result(options.read(window))
    if (Result.isSuccess(outcome)) {
      const { steps, state: next } = afterRead(options, remaining, window, outcome.success)
      mustKeepDays(state.cursor, next.cursor)
      mustMoveOn(window, next)
      return [steps, Option.some(next)] as const
    }
    const progress = afterFailure<A>(options, remaining, window, outcome.failure)
    if (progress === undefined) return yield* Effect.fail(outcome.failure)
    mustKeepDays(state.cursor, progress.state.cursor)
    mustMoveOn(window, progress.state)
    return [progress.steps, Option.some(progress.state)] as const
  })
  return Stream.paginate(start(options, end), advance)
}

/** A cursor that moved back would let a gap be recorded, or a day be requested, as if it had never been read. */
const mustKeepDays = (before: SeriesCursor | undefined, after: SeriesCursor | undefined): void => {
  if (before === undefined) return
  const keeps = after !== undefined && after.from <= before.from && after.through >= before.through
  invariant(keeps, "a cursor covers every day that it covered before", {
    from_before: before.from,
    from: after?.from,
    through_before: before.through,
    through: after?.through,
  })
}

/** A window that is followed by itself would be requested without end. */
const mustMoveOn = ({ purpose, from, to }: Pending, { pending: [next] }: State): void =>
  invariant(
    next?.purpose !== purpose || next.from !== from || next.to !== to,
    "the next window of a series is another one",
    { purpose, from, to },
  )

interface Progress<A> {
  readonly steps: ReadonlyArray<WindowStep<A>>
  readonly state: State
}

/** A gap within the first window is read with it; a gap that overlaps its start shortens it. */
const start = <A, E, R>(options: DateWindows<A, E, R>, end: number): State => {
  const { cursor, windowDays } = options
  const gaps = cursor === undefined ? [] : options.gaps
  const first: Pending & { readonly from: number } =
    cursor === undefined
      ? {
          from: Math.max(options.since ?? -Infinity, end - windowDays + 1),
          to: end,
          purpose: "newest",
        }
      : {
          from: Math.max(cursor.from, cursor.through - options.overlapDays),
          to: end,
          purpose: "forward",
        }
  const others = gaps.filter(({ from, to }) => from < first.from || to > first.to)
  const window: Pending & { readonly from: number } = {
    ...first,
    from: others.reduce(
      (begin, { from, to }) => (from <= begin && to >= begin ? to + 1 : begin),
      first.from,
    ),
    holdsGap: others.length < gaps.length,
  }
  const pending = others.map((gap): Pending => ({ ...gap, purpose: "gap", holdsGap: true }))
  const state: State = { cursor, windowDays, failures: 0, isEmpty: true, pending }
  if (window.from <= window.to) return { ...state, pending: [...pending, window] }
  return pending.length > 0 ? state : { ...state, pending: backward(options, state, true) }
}

const afterRead = <A, E, R>(
  options: DateWindows<A, E, R>,
  state: State,
  window: Pending,
  response: WindowRead<A>,
): Progress<A> => {
  if (ignoresDates(window, response)) return afterOtherDays(state, window, response)
  if (response.full && window.from !== undefined && window.to > window.from) {
    return { steps: [], state: split(state, { ...window, from: window.from }) }
  }
  const short =
    // A response that reaches the covered days leaves no hole, even if it lacks part of the overlap.
    window.purpose === "forward" &&
    window.holdsGap !== true &&
    (response.oldest ?? 0) <= (state.cursor?.through ?? -Infinity)
      ? undefined
      : stopsShortAt(window, response)
  const isEmpty = state.isEmpty && response.isEmpty
  const cursor =
    cursorAfterRead(state.cursor, window, response, short) ??
    (isEmpty ? cursorOfNothing(options, window) : undefined)
  const rest =
    short !== undefined && isReadToItsStart(window) ? remainder(window, response, short) : undefined
  const pending =
    rest !== undefined
      ? [rest, ...state.pending]
      : short === undefined
        ? state.pending
        : // Older points are requested from where the response ended, not by the planned windows.
          []
  const suspicious =
    lacksKnownDay(window, response) || (response.points === 0 && hadPoints(options, state, window))
  const step: WindowStep<A> = {
    _tag: "Read",
    window,
    content: response.content,
    points: response.points,
    rest,
    cursor,
    covered: suspicious ? undefined : coveredBy(window, response, short),
    suspicious,
    cutOff: response.full && window.from === window.to,
    ignoresDates: false,
  }
  return {
    steps: [step],
    state: proceed(options, { ...state, cursor, pending, failures: 0, isEmpty }, window, response),
  }
}

/** The points land, but show nothing of the days requested, nor would those of another window. */
const afterOtherDays = <A>(
  state: State,
  window: Pending,
  { content, points }: WindowRead<A>,
): Progress<A> => ({
  steps: [
    {
      _tag: "Read",
      window,
      content,
      points,
      rest: undefined,
      cursor: state.cursor,
      covered: undefined,
      suspicious: false,
      cutOff: false,
      ignoresDates: true,
    },
  ],
  state: { ...state, pending: [] },
})

/**
 * The cursor of a series without a point of any day, once the last window shows it. Not if an earlier run read points, which
 * its cursor knows of, nor if earlier days were left out.
 */
const cursorOfNothing = <A, E, R>(
  { today, until = today, since, known }: DateWindows<A, E, R>,
  { purpose, from }: Pending,
): SeriesCursor | undefined =>
  purpose === "last" && from !== undefined && since === undefined && known === undefined
    ? { through: Math.min(today, until), newest: null, from, complete: true }
    : undefined

const hadPoints = <A, E, R>(
  { hasPoints }: DateWindows<A, E, R>,
  { cursor }: State,
  { purpose, from = Infinity, to, verifies }: Pending,
): boolean => {
  if (purpose === "gap") {
    for (let day = from; day <= to; day += 1) if (hasPoints?.(day) === true) return true
  }
  // The newest point may be one beyond a part of the window that is still to be read.
  const known = Math.min(cursor?.newest ?? -Infinity, cursor?.through ?? -Infinity)
  return purpose === "forward" && verifies === undefined && from <= known
}

/** Returns `undefined` if the failure concerns the whole series and ends the reading. */
const afterFailure = <A>(
  options: Bounds & { readonly known?: SeriesCursor | undefined },
  state: State,
  window: Pending,
  error: unknown,
): Progress<A> | undefined => {
  if (!isOfOneWindow(error)) return undefined
  // A request for everything up to a day has no window that could be recorded as a gap.
  if (window.from === undefined || window.purpose === "probe") return undefined
  const hasResponse = error.reason._tag === "ContractViolation"
  const failures = hasResponse ? 0 : state.failures + 1
  const hasEnough = failures >= MAX_FAILURES_IN_A_ROW
  // Old days that keep failing must not keep back the new ones, which are requested all the same.
  const pending = state.pending.filter(({ purpose }) => !hasEnough || purpose !== "gap")
  if (hasEnough && (window.purpose !== "gap" || pending.length === 0)) return undefined
  const { from, to } = window
  const failed = { ...window, from }
  const isPassed = hasResponse || state.pending.some(({ purpose }) => purpose === "forward")
  const cursor = cursorAfterFailure(state.cursor, failed, isPassed, options.known)
  // A response in quarantine may be about any of its days.
  const missing = hasResponse
    ? { from, to }
    : missingIn(failed, isPassed, state.cursor, options.known)
  return {
    steps: [{ _tag: "Failed", window: { from, to }, missing, error, cursor }],
    state: proceed(options, { ...state, cursor, failures, pending }, window, undefined),
  }
}
