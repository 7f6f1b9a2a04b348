// Moves the cursor of a dated series after a window was read or failed, and says which days are then covered.
import {
  type DayRange,
  lacksKnownDay,
  nothingOlder,
  type Pending,
  type SeriesCursor,
  type WindowRead,
} from "./dateWindow.ts"

/**
 * The days with nothing left to read, which include all earlier days if there is nothing older. `short` is the oldest
 * day of a response that does not reach the start of its window; it may contain only part of that day.
 */
export const coveredBy = (
  window: Pending,
  response: WindowRead<unknown>,
  short: number | undefined,
): DayRange => {
  if (window.from === undefined && nothingOlder(window, response)) {
    return { from: -Infinity, to: window.to }
  }
  const end = short ?? (window.from === undefined ? response.oldest : undefined)
  return { from: end === undefined ? (window.from ?? -Infinity) : end + 1, to: window.to }
}

/** The cursor after a window was read. It covers one range without holes; gaps are recorded separately. */
export const cursorAfterRead = (
  cursor: SeriesCursor | undefined,
  window: Pending,
  response: WindowRead<unknown>,
  short: number | undefined,
): SeriesCursor | undefined => {
  const { newest, oldest } = response
  if (cursor === undefined) {
    if (newest === undefined || oldest === undefined) return undefined
    const from = window.purpose === "probe" ? oldest : (short ?? window.from ?? oldest)
    return { through: newest, newest, from, complete: false }
  }
  const seen = newest === undefined ? cursor.newest : Math.max(newest, cursor.newest ?? newest)
  return { ...rangeAfterRead(cursor, window, response, short), newest: seen }
}

const rangeAfterRead = (
  cursor: SeriesCursor,
  window: Pending,
  response: WindowRead<unknown>,
  short: number | undefined,
): SeriesCursor => {
  const { newest, oldest } = response
  switch (window.purpose) {
    case "gap":
      return cursor
    case "forward": {
      // `through` moves only once everything up to it is read; otherwise a stop would leave an unrecorded hole.
      const through = Math.max(newest ?? -Infinity, window.verifies ?? -Infinity, cursor.through)
      return short === undefined ? { ...cursor, through } : cursor
    }
    case "newest":
    case "backward":
    case "last":
      return { ...cursor, from: Math.min(cursor.from, short ?? window.from ?? cursor.from) }
    case "probe":
      if (lacksKnownDay(window, response)) return cursor
      return nothingOlder(window, response)
        ? { ...cursor, from: window.from ?? cursor.from, complete: window.from === undefined }
        : { ...cursor, from: Math.min(cursor.from, oldest ?? cursor.from) }
  }
}

type Failed = Pending & { readonly from: number }

/**
 * The days of a failed window that no run has read, to be recorded as a gap. The newest day read counts as missing, since it may
 * have been read in part. `isPassed`: the cursor moves past it all the same.
 */
export const missingIn = (
  { purpose, from, to }: Failed,
  isPassed: boolean,
  cursor: SeriesCursor | undefined,
  known: SeriesCursor | undefined,
): DayRange | undefined => {
  const covered = purpose === "forward" ? (isPassed ? undefined : cursor) : known
  const isReread = covered !== undefined && (covered.complete || from >= covered.from)
  if (purpose === "gap" || !isReread) return { from, to }
  const first = Math.max(from, covered.through)
  return first > to ? undefined : { from: first, to }
}

/**
 * The cursor after a window failed; the gap is recorded in the same commit. New days that fail for the first time leave it, so
 * that the next run reads them with their overlap.
 */
export const cursorAfterFailure = (
  cursor: SeriesCursor | undefined,
  window: Failed,
  isPassed: boolean,
  known: SeriesCursor | undefined,
): SeriesCursor => {
  if (cursor === undefined) {
    const newest = known?.newest ?? null
    return { through: window.to, newest, from: window.from, complete: false }
  }
  switch (window.purpose) {
    case "forward":
      return window.holdsGap === true || isPassed
        ? { ...cursor, through: Math.max(cursor.through, window.to) }
        : cursor
    case "gap":
      return cursor
    default:
      return { ...cursor, from: Math.min(cursor.from, window.from) }
  }
}
