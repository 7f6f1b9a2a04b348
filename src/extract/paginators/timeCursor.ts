// How far the records between two instants have been read, and which response of theirs is known to be whole.
import { MAX_CLOCK_SECONDS_OFF } from "../../domain/run/clockTolerance.ts"
import { MICROS_PER_MILLI, MICROS_PER_SECOND } from "../../domain/values/time.ts"

/** A range that has been read back to `to`, but not to its start. */
export interface PendingRead {
  readonly from?: number | undefined
  readonly to?: number | undefined
  /** The time of its newest record, or of its reading, as `through`. */
  readonly newest?: number | undefined
}

/** What a response is known by: how many records it has, and how old the oldest is, to the millisecond. */
export interface ResponseExtent {
  readonly count: number
  readonly oldest: number
}

/** A response after which a request for anything older brought nothing: it was whole, although none was larger. */
export interface WholeRead extends ResponseExtent {
  /** When that was seen. */
  readonly at: number
}

export interface TimeCursor {
  /**
   * The time of the newest record read (the high-water mark), or of its reading if that is earlier: a record dated in the
   * future must not hide those that arrive before that date. `undefined` until the first reading is finished.
   */
  readonly through?: number | undefined
  /** The limit of the reading (`since`); `undefined` if everything was requested. */
  readonly from?: number | undefined
  /**
   * The size of the largest response so far. A smaller one that reaches what is stored is complete, since the service can return
   * this many records.
   */
  readonly largest: number
  /** The newest such response; cursors of earlier versions have none. */
  readonly whole?: WholeRead | undefined
  readonly pending?: PendingRead | undefined
}

/**
 * The cursor, unless its mark lies ahead by more than a clock may be off. Earlier versions took the mark from records dated in the
 * future; since when they requested no others is unknown, so everything is read again.
 */
export const trusted = (cursor: TimeCursor | undefined, now: number): TimeCursor | undefined =>
  markOf(cursor) > now + MAX_CLOCK_SECONDS_OFF * MICROS_PER_SECOND ? undefined : cursor

export const markOf = (cursor: TimeCursor | undefined): number =>
  Math.max(cursor?.through ?? -Infinity, cursor?.pending?.newest ?? -Infinity)

/** `undefined` if a record without a time may be older than the others. */
export const extentOf = (
  count: number,
  times: ReadonlyArray<number>,
): ResponseExtent | undefined => {
  if (times.length < count || count === 0) return undefined
  const oldest = times.reduce((least, time) => Math.min(least, time), Infinity)
  return { count, oldest: Math.floor(oldest / MICROS_PER_MILLI) * MICROS_PER_MILLI }
}

/**
 * Whether the response is again the one that was seen to be whole. A limit of the service that is just as large could
 * hide an older record that arrives late, so it counts only if it was seen within `recheck`.
 */
export const isKnownWhole = (
  whole: WholeRead | undefined,
  extent: ResponseExtent | undefined,
  { now, recheck }: { readonly now: number; readonly recheck: number },
): boolean =>
  whole !== undefined &&
  whole.at > now - recheck &&
  whole.at <= now &&
  whole.count === extent?.count &&
  whole.oldest === extent.oldest
