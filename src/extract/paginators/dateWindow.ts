// Types for reading a dated series: windows of days, the content of a response, and how far the series has been read.

/** Days since 1970, both ends inclusive; without `from` the window reaches back to the first day there can be. */
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
  /** The day of the newest point read (the high-water mark); null if there is none. */
  readonly newest: number | null
  readonly from: number
  /** Whether nothing older exists. */
  readonly complete: boolean
}

/** The content of one response. */
export interface WindowRead<A> {
  readonly content: A
  readonly points: number
  /** Whether it has no record, not even one that can't be read. */
  readonly isEmpty: boolean
  readonly oldest: number | undefined
  readonly newest: number | undefined
  /** Whether none of its days has a point: a service may send such a day for each one requested, however long ago. */
  readonly hasOnlyEmptyDays: boolean
  /** Whether the oldest day does not begin at its first hour, so that older points of it may be cut off. */
  readonly startsLate: boolean
  /** Whether the response has as many points as it can hold, so that there may be more. */
  readonly full: boolean
}

export type Purpose =
  /** A range inside the covered days, to be read again. */
  | "gap"
  /** The first window of a new series. */
  | "newest"
  /** New points since the last run, with the overlap. */
  | "forward"
  /** The backfill. */
  | "backward"
  /** A request for everything up to a day, which shows whether anything older exists. */
  | "probe"
  /** One more window of the usual length after a probe of a new series found nothing. */
  | "last"

export interface Pending extends DateWindow {
  readonly purpose: Purpose
  /** Whether it is or contains a gap, so that it must be read to its start. */
  readonly holdsGap?: boolean
  /** The newest day of the responses that this window completes; it becomes the high-water mark once this is read. */
  readonly verifies?: number
  /** Whether the window's last day was already read: then a response with only that day means that nothing is older. */
  readonly known?: boolean
}

export interface State {
  readonly cursor: SeriesCursor | undefined
  readonly pending: ReadonlyArray<Pending>
  readonly windowDays: number
  readonly failures: number
  /** Whether no response so far had a record. */
  readonly isEmpty: boolean
}

/** Limits of the backfill. */
export interface Bounds {
  readonly since: number | undefined
  /** Whether an earlier run found no point of any day, so that the first window shows whether that has changed. */
  readonly isKnownEmpty?: boolean
  readonly windowDays: number
}

/**
 * The oldest day of a response that does not reach the start of its window: either there is nothing in between, or the
 * service returns less at once than it should. Only another request shows which.
 */
export const stopsShortAt = (
  window: Pending,
  { oldest, startsLate }: WindowRead<unknown>,
): number | undefined => {
  if (oldest === undefined || window.from === undefined) return undefined
  // Requesting the rest would repeat the same request.
  if (isReadToItsStart(window) && oldest >= window.to) return undefined
  if (oldest === window.from) return window.holdsGap === true && startsLate ? oldest : undefined
  return oldest < window.from ? undefined : oldest
}

/**
 * Whether a response shows that the service does not read the dates by the names that were sent: it has newer points
 * than requested, or is full with older ones in their place. Either end may be off by a day, as in another time zone.
 */
export const ignoresDates = (
  { from = -Infinity, to }: DateWindow,
  { oldest = Infinity, newest = -Infinity, full }: WindowRead<unknown>,
): boolean => newest > to + 1 || (full && oldest < from - 1)

/** Whether the rest of a response that stops short is requested within the same window. */
export const isReadToItsStart = ({ purpose }: Pending): boolean =>
  purpose === "gap" || purpose === "forward"

export const nothingOlder = (
  { to, known }: Pending,
  { oldest, hasOnlyEmptyDays }: WindowRead<unknown>,
): boolean => oldest === undefined || hasOnlyEmptyDays || (known === true && oldest >= to)

/**
 * Whether the response lacks a day that was seen to have points, so that it shows nothing of older days either: the service did
 * not look as far back as it was asked to.
 */
export const lacksKnownDay = ({ known }: Pending, { oldest }: WindowRead<unknown>): boolean =>
  known === true && oldest === undefined
