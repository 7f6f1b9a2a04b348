// What a window that was read, or that failed, tells of a dated series: the days it settles, and the cursor.
import {
  type DayRange,
  nothingOlder,
  type Pending,
  type SeriesCursor,
  type WindowRead,
} from "./dateWindow.ts"

/** Days an answer leaves nothing to ask of. Of the day it ends on before its window does, there may be more. */
export const coveredBy = (
  window: Pending,
  { oldest }: WindowRead<unknown>,
  short: number | undefined,
): DayRange => {
  const end = short ?? (window.from === undefined ? oldest : undefined)
  return { from: end === undefined ? (window.from ?? -Infinity) : end + 1, to: window.to }
}

/** The cursor once a window is read. It covers one unbroken range, gaps being recorded apart. */
export const moved = (
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

/** The cursor beyond a window that failed; the gap it leaves is recorded with it. */
export const passed = (
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
