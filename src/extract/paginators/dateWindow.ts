// What the parts of reading a dated series share: windows of days, what an answer held of one, and how far the
// series has been read.

/** Days since 1970, both ends inclusive; without `from` the window reaches back to the beginning. */
export interface DateWindow {
  readonly from: number | undefined
  readonly to: number
}

export interface DayRange {
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
  /** Whether the oldest day is held only from some hour on, so that older points of it may be cut off. */
  readonly startsLate: boolean
  readonly full: boolean
}

export type Purpose =
  /** A range within what is known, to be read again. */
  | "gap"
  /** The first of a series never read before. */
  | "newest"
  /** What came since the last run, with the overlap. */
  | "forward"
  | "backward"
  | "probe"
  | "last"

export interface Pending extends DateWindow {
  readonly purpose: Purpose
  /** Whether it is a gap, or one lies within it: what is known does not make up for what is not read then. */
  readonly holdsGap?: boolean
  /** Newest day of the answers whose older end this window asks for again; the mark once it is read. */
  readonly verifies?: number
  /** The window's last day was read already: finding nothing but it means that nothing is older. */
  readonly known?: boolean
}

export interface State {
  readonly cursor: SeriesCursor | undefined
  readonly pending: ReadonlyArray<Pending>
  readonly windowDays: number
  readonly failures: number
}

/** What bounds a walk into the past. */
export interface Bounds {
  readonly since: number | undefined
  readonly windowDays: number
}

/**
 * Oldest day of an answer that does not reach down to its window's start: there is nothing in between,
 * or the service gives out less at once than it says. Only asking tells.
 */
export const stopsShortAt = (
  window: Pending,
  { oldest, startsLate }: WindowRead<unknown>,
): number | undefined => {
  if (oldest === undefined || window.from === undefined) return undefined
  // The rest of these is asked for by date: from its last day on, that would be the same question again.
  if (isAskedToItsStart(window) && oldest >= window.to) return undefined
  if (oldest === window.from) return window.holdsGap === true && startsLate ? oldest : undefined
  return oldest < window.from ? undefined : oldest
}

/** Whether the rest of an answer that stops short is asked for within the same window. */
export const isAskedToItsStart = ({ purpose }: Pending): boolean =>
  purpose === "gap" || purpose === "forward"

export const nothingOlder = ({ to, known }: Pending, { oldest }: WindowRead<unknown>): boolean =>
  oldest === undefined || (known === true && oldest >= to)
