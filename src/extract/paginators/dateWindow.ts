// Types for reading a dated series: windows of days, what a response held, and how far the series has been read.

/** Days since 1970, both ends inclusive; without `from` the window reaches back to the beginning. */
export interface DateWindow {
  readonly from: number | undefined
  readonly to: number
}

export interface DayRange {
  readonly from: number
  readonly to: number
}

/** Everything between the two days has been read; gaps are recorded separately. */
export interface SeriesCursor {
  readonly through: number
  /** Day of the newest point read: the high-water mark. Null while there is none. */
  readonly newest: number | null
  readonly from: number
  /** Whether nothing older exists. */
  readonly complete: boolean
}

/** What one response held. `full`: as many points as fit, so there may be more. */
export interface WindowRead<A> {
  readonly content: A
  readonly points: number
  readonly oldest: number | undefined
  readonly newest: number | undefined
  /** Whether the oldest day begins at some later hour, so that its older points may be cut off. */
  readonly startsLate: boolean
  readonly full: boolean
}

export type Purpose =
  /** A range inside the covered days, to be read again. */
  | "gap"
  /** The first window of a new series. */
  | "newest"
  /** New points since the last run, with the overlap. */
  | "forward"
  | "backward"
  | "probe"
  | "last"

export interface Pending extends DateWindow {
  readonly purpose: Purpose
  /** Whether it is or contains a gap, so that it must be read to its start. */
  readonly holdsGap?: boolean
  /** Newest day of the responses that this window completes; the high-water mark once it is read. */
  readonly verifies?: number
  /** The window's last day was read already: a response with that day only means that nothing is older. */
  readonly known?: boolean
}

export interface State {
  readonly cursor: SeriesCursor | undefined
  readonly pending: ReadonlyArray<Pending>
  readonly windowDays: number
  readonly failures: number
}

/** Limits of the backfill. */
export interface Bounds {
  readonly since: number | undefined
  readonly windowDays: number
}

/**
 * Oldest day of a response that does not reach the start of its window: either nothing is in between, or the service
 * returns less at once than it says. Only another request shows which.
 */
export const stopsShortAt = (
  window: Pending,
  { oldest, startsLate }: WindowRead<unknown>,
): number | undefined => {
  if (oldest === undefined || window.from === undefined) return undefined
  // The rest would be requested up to the same last day: the same request again.
  if (isReadToItsStart(window) && oldest >= window.to) return undefined
  if (oldest === window.from) return window.holdsGap === true && startsLate ? oldest : undefined
  return oldest < window.from ? undefined : oldest
}

/** Whether the rest of a response that stops short is requested within the same window. */
export const isReadToItsStart = ({ purpose }: Pending): boolean =>
  purpose === "gap" || purpose === "forward"

export const nothingOlder = ({ to, known }: Pending, { oldest }: WindowRead<unknown>): boolean =>
  oldest === undefined || (known === true && oldest >= to)
