// Reads a series that can be asked for by date, whole once and by its new end afterwards. Every window it
// has read is committed with a cursor, so that a stop at any moment costs one window.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { ApiError, type ApiErrorTag } from "../../domain/errors.ts"

/** Days since 1970, both ends inclusive; without `from` the window reaches back to the beginning. */
export interface DateWindow {
  readonly from: number | undefined
  readonly to: number
}

export interface Gap {
  readonly from: number
  readonly to: number
}

/** What has been read of a series: everything between the two days, gaps recorded apart. */
export interface SeriesCursor {
  /** Day of the newest point read: the high-water mark. */
  readonly through: number
  readonly from: number
  /** Whether nothing older exists. */
  readonly complete: boolean
}

/** What one answer held. `full`: as many points as were asked for, so there may be more. */
export interface WindowRead<A> {
  readonly content: A
  readonly points: number
  readonly oldest: number | undefined
  readonly newest: number | undefined
  readonly full: boolean
}

export interface DateWindows<A, E, R> {
  readonly cursor: SeriesCursor | undefined
  /** Ranges an earlier run could not read; asked for again first. */
  readonly gaps: ReadonlyArray<Gap>
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
      readonly fills: Gap | undefined
      /** Points were there before in this window, and now there is none. */
      readonly suspicious: boolean
      /** One day alone holds more points than an answer can: the rest is out of reach. */
      readonly cutOff: boolean
    }
  | {
      readonly _tag: "Failed"
      readonly window: Gap
      readonly error: ApiError
      readonly cursor: SeriesCursor | undefined
    }

type Purpose =
  /** A range an earlier run could not read. */
  | "gap"
  /** The first of a series never read before. */
  | "newest"
  /** What came since the last run, with the overlap. */
  | "forward"
  | "backward"
  | "probe"
  | "last"

interface Pending extends DateWindow {
  readonly purpose: Purpose
  /** The whole gap this window is a part of. */
  readonly gap?: Gap
  /** Newest day of the answers whose older end this window asks for again; the mark once it is read. */
  readonly verifies?: number
  /** The window's last day was read already: finding nothing but it means that nothing is older. */
  readonly known?: boolean
}

interface State {
  readonly cursor: SeriesCursor | undefined
  readonly pending: ReadonlyArray<Pending>
  readonly windowDays: number
  readonly failures: number
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

type Bounds = Pick<DateWindows<never, never, never>, "since" | "windowDays">

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

/** The next window into the past, unless the beginning or `since` is reached. */
const backward = (
  options: Bounds,
  { cursor, windowDays }: State,
  inclusive: boolean,
): ReadonlyArray<Pending> => {
  if (cursor === undefined || cursor.complete) return []
  const to = inclusive ? cursor.from : cursor.from - 1
  const floor = options.since ?? -Infinity
  if (cursor.from <= floor) return []
  return [{ from: Math.max(floor, to - windowDays + 1), to, purpose: "backward" }]
}

/** The newest points up to a day, however far back: tells a hole from the beginning. */
const probe = (options: Bounds, to: number, known: boolean): ReadonlyArray<Pending> =>
  options.since !== undefined && (known ? options.since >= to : options.since > to)
    ? []
    : [{ from: options.since, to, purpose: "probe", known }]

/**
 * Oldest day of an answer that does not reach down to its window's start: there is nothing in between,
 * or the service gives out less at once than it says. Only asking tells.
 */
const stopsShortAt = (window: Pending, { oldest }: WindowRead<unknown>): number | undefined =>
  oldest === undefined ||
  window.from === undefined ||
  oldest <= window.from ||
  (window.known === true && oldest >= window.to)
    ? undefined
    : oldest

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
        ? [rest(window, answer, short), ...state.pending]
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

const rest = (window: Pending, { newest }: WindowRead<unknown>, to: number): Pending => ({
  ...window,
  to,
  known: true,
  verifies: Math.max(newest ?? -Infinity, window.verifies ?? -Infinity),
})

/** Decides what comes next once nothing is pending; without an answer, the window failed. */
const proceed = (
  options: Bounds,
  state: State,
  window: Pending,
  answer: WindowRead<unknown> | undefined,
): State =>
  state.pending.length > 0 ? state : { ...state, pending: next(options, state, window, answer) }

const next = (
  options: Bounds,
  state: State,
  window: Pending,
  answer: WindowRead<unknown> | undefined,
): ReadonlyArray<Pending> => {
  switch (window.purpose) {
    case "gap":
    case "forward":
      return backward(options, state, true)
    case "newest":
    case "backward": {
      if (window.from === undefined) return backward(options, state, false)
      // Behind a window that can't be read only an open question tells whether there is anything, and ends
      // the walk when it can't be read either: by windows it would go on into the past for ever.
      if (answer === undefined) return probe(options, window.from - 1, false)
      if (answer.points === 0) return probe(options, window.from - 1, false)
      const short = stopsShortAt({ ...window, known: false }, answer)
      return short === undefined ? backward(options, state, false) : probe(options, short, true)
    }
    case "probe":
      if (answer !== undefined && !nothingOlder(window, answer))
        return backward(options, state, true)
      // Some services show nothing unless both dates are given: look back one more window by date
      // before believing that there is no history at all.
      return state.cursor === undefined ? lastLook(options, state.windowDays, window.to) : []
    case "last":
      return backward(options, state, false)
  }
}

const nothingOlder = ({ to, known }: Pending, { oldest }: WindowRead<unknown>): boolean =>
  oldest === undefined || (known === true && oldest >= to)

const lastLook = (options: Bounds, windowDays: number, to: number): ReadonlyArray<Pending> => [
  { from: Math.max(options.since ?? -Infinity, to - windowDays + 1), to, purpose: "last" },
]

/** The cursor once a window is read. It covers one unbroken range, gaps being recorded apart. */
const moved = (
  cursor: SeriesCursor | undefined,
  window: Pending,
  answer: WindowRead<unknown>,
  short: number | undefined,
): SeriesCursor | undefined => {
  const { newest, oldest } = answer
  if (cursor === undefined) {
    if (newest === undefined || oldest === undefined) return undefined
    const from = window.purpose === "probe" ? oldest : (short ?? window.from ?? oldest)
    return { through: newest, from, complete: false }
  }
  switch (window.purpose) {
    case "gap":
      return cursor
    case "forward": {
      // Not before everything up to it is read: a stop in between would leave a hole nobody knows of.
      const through = Math.max(newest ?? -Infinity, window.verifies ?? -Infinity, cursor.through)
      return short === undefined ? { ...cursor, through } : cursor
    }
    case "newest":
    case "backward":
    case "last":
      return { ...cursor, from: Math.min(cursor.from, short ?? window.from ?? cursor.from) }
    case "probe":
      return nothingOlder(window, answer)
        ? { ...cursor, from: window.from ?? cursor.from, complete: window.from === undefined }
        : { ...cursor, from: Math.min(cursor.from, oldest ?? cursor.from) }
  }
}

/** Cuts a window whose answer looks cut off into shorter ones, nearest to what is known first. */
const split = (state: State, window: Pending & { readonly from: number }): State => {
  const span = window.to - window.from + 1
  const size = span > state.windowDays ? state.windowDays : Math.ceil(span / 2)
  const parts: Array<Pending> = []
  for (let { from } = window; from <= window.to; from += size) {
    parts.push({ ...window, from, to: Math.min(window.to, from + size - 1) })
  }
  if (window.purpose === "backward" || window.purpose === "newest") parts.reverse()
  return {
    ...state,
    // A denser series than expected: later windows start out shorter.
    windowDays: Math.min(state.windowDays, size),
    pending: [...parts, ...state.pending],
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

/** The cursor beyond a window that failed; the gap it leaves is recorded with it. */
const passed = (
  cursor: SeriesCursor | undefined,
  window: Pending & { readonly from: number },
): SeriesCursor => {
  if (cursor === undefined) return { through: window.to, from: window.from, complete: false }
  switch (window.purpose) {
    case "forward":
      return { ...cursor, through: Math.max(cursor.through, window.to) }
    case "gap":
      return cursor
    default:
      return { ...cursor, from: Math.min(cursor.from, window.from) }
  }
}
