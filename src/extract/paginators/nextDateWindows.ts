// Decides what a walk over a dated series asks for next: further into the past, an open question about anything
// older, or shorter windows where an answer looks cut off.
import {
  type Bounds,
  nothingOlder,
  type Pending,
  type State,
  stopsShortAt,
  type WindowRead,
} from "./dateWindow.ts"

/** The next window into the past, unless the beginning or `since` is reached. */
export const backward = (
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
export const probe = (options: Bounds, to: number, known: boolean): ReadonlyArray<Pending> =>
  options.since !== undefined && (known ? options.since >= to : options.since > to)
    ? []
    : [{ from: options.since, to, purpose: "probe", known }]

export const remainder = (
  window: Pending,
  { newest }: WindowRead<unknown>,
  to: number,
): Pending => ({
  ...window,
  to,
  verifies: Math.max(newest ?? -Infinity, window.verifies ?? -Infinity),
})

/** Decides what comes next once nothing is pending; without an answer, the window failed. */
export const proceed = (
  options: Bounds,
  state: State,
  window: Pending,
  answer: WindowRead<unknown> | undefined,
): State =>
  state.pending.length > 0 ? state : { ...state, pending: next(options, state, window, answer) }

export const next = (
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
      // Behind a window that can't be read, or holds nothing, only an open question tells whether there is
      // anything, and ends the walk when it can't be read either: by windows it would go on into the past for
      // ever. Points that hold nothing (a day without allocations) have no days either.
      if (answer?.oldest === undefined) return probe(options, window.from - 1, false)
      const short = stopsShortAt(window, answer)
      return short === undefined
        ? backward(options, state, answer.startsLate)
        : probe(options, short, true)
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

export const lastLook = (
  options: Bounds,
  windowDays: number,
  to: number,
): ReadonlyArray<Pending> => [
  { from: Math.max(options.since ?? -Infinity, to - windowDays + 1), to, purpose: "last" },
]

/** Cuts a window whose answer looks cut off into shorter ones, nearest to what is known first. */
export const split = (state: State, window: Pending & { readonly from: number }): State => {
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
