// Chooses the next windows of a dated series: further into the past, a probe for anything older, or shorter windows
// after a full response.
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

/** Requests the newest points up to a day, however old, to distinguish a hole from the beginning of the series. */
export const probe = (options: Bounds, to: number, known: boolean): ReadonlyArray<Pending> =>
  options.since !== undefined && (known ? options.since >= to : options.since > to)
    ? []
    : [{ from: options.since, to, purpose: "probe", known }]

/** The rest of a window after a response that ended at the day `to`. */
export const remainder = (
  window: Pending,
  { newest }: WindowRead<unknown>,
  to: number,
): Pending => ({
  ...window,
  to,
  verifies: Math.max(newest ?? -Infinity, window.verifies ?? -Infinity),
})

/** Adds the next windows once none is pending; without a response, the window failed. */
export const proceed = (
  options: Bounds,
  state: State,
  window: Pending,
  response: WindowRead<unknown> | undefined,
): State =>
  state.pending.length > 0
    ? state
    : { ...state, pending: nextWindows(options, state, window, response) }

const nextWindows = (
  options: Bounds,
  state: State,
  window: Pending,
  response: WindowRead<unknown> | undefined,
): ReadonlyArray<Pending> => {
  switch (window.purpose) {
    case "gap":
    case "forward":
      return backward(options, state, true)
    case "newest":
    case "backward": {
      if (options.isKnownEmpty === true && response !== undefined && state.isEmpty) return []
      if (window.from === undefined) return backward(options, state, false)
      const short = response === undefined ? undefined : stopsShortAt(window, response)
      if (short !== undefined) return probe(options, short, true)
      // After a window that failed or had no points (such as one without allocations), only a request for everything
      // before it shows whether anything is older. If that fails too, the backfill ends; otherwise it would request
      // windows forever.
      return response?.oldest === undefined || response.hasOnlyEmptyDays
        ? probe(options, window.from - 1, false)
        : // A day of its own would be requested again and again, as it would end as late each time.
          backward(options, state, response.startsLate && state.windowDays > 1)
    }
    case "probe":
      if (response !== undefined && !nothingOlder(window, response))
        return backward(options, state, true)
      // Some services may return nothing for so many days at once, so one more window of the usual length is requested
      // before concluding that there is no history.
      return state.cursor === undefined ? lastWindow(options, state.windowDays, window.to) : []
    case "last":
      return backward(options, state, false)
  }
}

const lastWindow = (options: Bounds, windowDays: number, to: number): ReadonlyArray<Pending> => [
  { from: Math.max(options.since ?? -Infinity, to - windowDays + 1), to, purpose: "last" },
]

/** Splits a window whose response is full into shorter windows, the nearest to the covered days first. */
export const split = (state: State, window: Pending & { readonly from: number }): State => {
  const span = window.to - window.from + 1
  const size = span > state.windowDays ? state.windowDays : Math.ceil(span / 2)
  const parts: Array<Pending> = []
  // Only the last part makes the newest day of earlier responses the high-water mark: until then not all before it is read.
  const { verifies: _newest, ...others } = window
  for (let { from } = window; from <= window.to; from += size) {
    const to = Math.min(window.to, from + size - 1)
    parts.push({ ...(to === window.to ? window : others), from, to })
  }
  if (window.purpose === "backward" || window.purpose === "newest") parts.reverse()
  return {
    ...state,
    // The series is dense, so later windows are shorter too.
    windowDays: Math.min(state.windowDays, size),
    pending: [...parts, ...state.pending],
  }
}
