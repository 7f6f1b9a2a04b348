// Reads a series that can be asked for by date, whole once and by its new end afterwards. Every window it
// has read is committed with a cursor, so that a stop at any moment costs one window.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { ApiError, type ApiErrorTag } from "../../domain/errors.ts"
import { coveredBy, moved, passed } from "./coveredDays.ts"
import {
  type Bounds,
  type DateWindow,
  type DayRange,
  isAskedToItsStart,
  type Pending,
  type SeriesCursor,
  type State,
  stopsShortAt,
  type WindowRead,
} from "./dateWindow.ts"
import { backward, proceed, remainder, split } from "./nextDateWindows.ts"

export interface DateWindows<A, E, R> {
  readonly cursor: SeriesCursor | undefined
  /** Ranges to be read again; asked for first, unless everything is. */
  readonly gaps: ReadonlyArray<DayRange>
  /** Whether a day is known to have points: a gap that holds one is not empty. */
  readonly hasPoints?: (day: number) => boolean
  readonly today: number
  /** Longest window whose answer is not cut off. */
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
      readonly cursor: SeriesCursor | undefined
      /** Days of which nothing is left to ask, of gaps among them; `undefined` where the answer is not believed. */
      readonly covered: DayRange | undefined
      /** Points were there before in this window, and now there is none. */
      readonly suspicious: boolean
      /** One day alone holds more points than an answer can: the rest is out of reach. */
      readonly cutOff: boolean
    }
  | {
      readonly _tag: "Failed"
      readonly window: DayRange
      readonly error: ApiError
      readonly cursor: SeriesCursor | undefined
    }

// A broken window must not hide the rest of the series; these speak of one window, the others (no access,
// no such vault, a rate limit) of all of them.
const windowLocal: ReadonlySet<ApiErrorTag> = new Set<ApiErrorTag>([
  "ContractViolation",
  "DependencyFailed",
  "ServerError",
  "Timeout",
  "Transport",
  "UnexpectedStatus",
])
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
      return [steps, Option.some(next)] as const
    }
    const progress = afterFailure<A>(options, remaining, window, outcome.failure)
    if (progress === undefined) return yield* Effect.fail(outcome.failure)
    return [progress.steps, Option.some(progress.state)] as const
  })
  return Stream.paginate(start(options, end), advance)
}

interface Progress<A> {
  readonly steps: ReadonlyArray<WindowStep<A>>
  readonly state: State
}

/** A gap within the first window is read with it; one that reaches into it is not asked for twice. */
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
  const state: State = { cursor, windowDays, failures: 0, pending }
  if (window.from <= window.to) return { ...state, pending: [...pending, window] }
  return pending.length > 0 ? state : { ...state, pending: backward(options, state, true) }
}

const afterRead = <A, E, R>(
  options: DateWindows<A, E, R>,
  state: State,
  window: Pending,
  answer: WindowRead<A>,
): Progress<A> => {
  if (answer.full && window.from !== undefined && window.to > window.from) {
    return { steps: [], state: split(state, { ...window, from: window.from }) }
  }
  const short =
    // An answer that meets what is known leaves no hole, even if the overlap before it is thin.
    window.purpose === "forward" &&
    window.holdsGap !== true &&
    (answer.oldest ?? 0) <= (state.cursor?.through ?? -Infinity)
      ? undefined
      : stopsShortAt(window, answer)
  const cursor = moved(state.cursor, window, answer, short)
  const pending =
    short === undefined
      ? state.pending
      : isAskedToItsStart(window)
        ? [remainder(window, answer, short), ...state.pending]
        : // What is older is asked for from where the answer ended, not by the windows planned before.
          []
  const suspicious = answer.points === 0 && hadPoints(options, state, window)
  const step: WindowStep<A> = {
    _tag: "Read",
    window,
    content: answer.content,
    points: answer.points,
    cursor,
    covered: suspicious ? undefined : coveredBy(window, answer, short),
    suspicious,
    cutOff: answer.full && window.from === window.to,
  }
  return {
    steps: [step],
    state: proceed(options, { ...state, cursor, pending, failures: 0 }, window, answer),
  }
}

const hadPoints = <A, E, R>(
  { hasPoints }: DateWindows<A, E, R>,
  { cursor }: State,
  { purpose, from = Infinity, to, verifies }: Pending,
): boolean => {
  if (purpose === "gap") {
    for (let day = from; day <= to; day += 1) if (hasPoints?.(day) === true) return true
  }
  return (
    purpose === "forward" &&
    verifies === undefined &&
    cursor !== undefined &&
    from <= cursor.through
  )
}

/** `undefined` when the failure speaks of the whole series, so that the walk ends with it. */
const afterFailure = <A>(
  options: Bounds,
  state: State,
  window: Pending,
  error: unknown,
): Progress<A> | undefined => {
  if (!(error instanceof ApiError) || !windowLocal.has(error.reason._tag)) return undefined
  // An open-ended question that failed says nothing of any window.
  if (window.from === undefined || window.purpose === "probe") return undefined
  const failures = error.reason._tag === "ContractViolation" ? 0 : state.failures + 1
  if (failures >= MAX_FAILURES_IN_A_ROW) return undefined
  const { from, to } = window
  const cursor = passed(state.cursor, { ...window, from })
  return {
    steps: [{ _tag: "Failed", window: { from, to }, error, cursor }],
    state: proceed(options, { ...state, cursor, failures }, window, undefined),
  }
}
