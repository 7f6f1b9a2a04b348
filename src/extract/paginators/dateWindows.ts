// Reads a series that can be asked for by date, whole once and by its new end afterwards. Every window it
// has read is committed with a cursor, so that a stop at any moment costs one window.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { ApiError, type ApiErrorTag } from "../../domain/errors.ts"
import { moved, passed } from "./coveredDays.ts"
import {
  type Bounds,
  type DateWindow,
  type DayRange,
  type Pending,
  type SeriesCursor,
  type State,
  stopsShortAt,
  type WindowRead,
} from "./dateWindow.ts"
import { backward, proceed, remainder, split } from "./nextDateWindows.ts"

export interface DateWindows<A, E, R> {
  readonly cursor: SeriesCursor | undefined
  /** Ranges an earlier run could not read; asked for again first. */
  readonly gaps: ReadonlyArray<DayRange>
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
      /** A gap of an earlier run that is filled now. */
      readonly fills: DayRange | undefined
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

/** Whether a failure leaves the other windows of the series to be asked for. */
export const isOfOneWindow = ({ reason }: ApiError): boolean => windowLocal.has(reason._tag)

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

const start = <A, E, R>(options: DateWindows<A, E, R>, end: number): State => {
  const { cursor, windowDays } = options
  const gaps = options.gaps.map((gap): Pending => ({ ...gap, purpose: "gap", gap }))
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
  const { window, others } = withoutRepeating(first, gaps)
  const state: State = { cursor, windowDays, failures: 0, pending: others }
  if (window.from <= window.to) return { ...state, pending: [...others, window] }
  return others.length > 0 ? state : { ...state, pending: backward(options, state, true) }
}

/** A gap within the window is filled by it; a window that begins within a gap begins after it. */
const withoutRepeating = (
  first: Pending & { readonly from: number },
  gaps: ReadonlyArray<Pending>,
): { readonly window: Pending & { readonly from: number }; readonly others: typeof gaps } => {
  const within = gaps.find(
    ({ from, to }) => from !== undefined && from >= first.from && to <= first.to,
  )
  const others = gaps.filter((gap) => gap !== within)
  const from = others.reduce(
    (begin, gap) =>
      gap.from !== undefined && gap.from <= begin && gap.to >= begin ? gap.to + 1 : begin,
    first.from,
  )
  const window = { ...first, from }
  return { window: within?.gap === undefined ? window : { ...window, gap: within.gap }, others }
}

const afterRead = <A>(
  options: Bounds,
  state: State,
  window: Pending,
  answer: WindowRead<A>,
): Progress<A> => {
  if (answer.full && window.from !== undefined && window.to > window.from) {
    return { steps: [], state: split(state, { ...window, from: window.from }) }
  }
  const short =
    // An answer that meets what is known leaves no hole, even if the overlap before it is thin.
    window.purpose === "forward" && (answer.oldest ?? 0) <= (state.cursor?.through ?? -Infinity)
      ? undefined
      : stopsShortAt(window, answer)
  const cursor = moved(state.cursor, window, answer, short)
  const pending =
    short === undefined
      ? state.pending
      : window.purpose === "forward" || window.purpose === "gap"
        ? [remainder(window, answer, short), ...state.pending]
        : // What is older is asked for from where the answer ended, not by the windows planned before.
          []
  const step: WindowStep<A> = {
    _tag: "Read",
    window,
    content: answer.content,
    points: answer.points,
    cursor,
    fills: pending.some(({ gap }) => gap === window.gap) ? undefined : window.gap,
    suspicious:
      window.purpose === "forward" &&
      window.verifies === undefined &&
      answer.points === 0 &&
      state.cursor !== undefined &&
      (window.from ?? Infinity) <= state.cursor.through,
    cutOff: answer.full && window.from === window.to,
  }
  return {
    steps: [step],
    state: proceed(options, { ...state, cursor, pending, failures: 0 }, window, answer),
  }
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
