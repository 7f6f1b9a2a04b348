// Reads pages, newest first, with a cursor that excludes its own instant. Continuing from the last instant of a page
// would skip further entries of that instant (§4.1), so it continues from the next newer one, and reads every tie
// completely.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

/** The time of an entry, as the service wrote it and in microseconds since 1970 UTC. */
export interface Place {
  readonly cursor: string
  readonly at: number
}

export interface CursorPage<A> {
  readonly content: A
  /** One for each entry, in the order of the response. */
  readonly places: ReadonlyArray<Place>
  readonly more: boolean
}

export interface TiedCursor<A, E, R> {
  /** Reads entries strictly older than the cursor, or the newest entries if there is none. */
  readonly read: (before: string | undefined) => Effect.Effect<CursorPage<A>, E, R>
  /** Reading ends once everything since this instant has been read. */
  readonly back: number | undefined
}

/** An inclusive range of instants that may have entries missing from all pages. */
export interface Loss {
  readonly from: number
  readonly to: number
  /** `tie`: more entries at one instant than a page holds. `skipped`: the cursor passed over entries. */
  readonly why: "tie" | "skipped"
}

export interface ReadPage<A> {
  readonly before: string | undefined
  /** Counted from 1. */
  readonly number: number
  readonly content: A
  /** The newest instant so far. */
  readonly newest: number | undefined
  readonly isEmpty: boolean
  readonly losses: ReadonlyArray<Loss>
  readonly isLast: boolean
  /** Why reading ends with this page although there is more. */
  readonly stalled: string | undefined
}

interface State {
  readonly before: Place | undefined
  /** The last instant of the previous page; the next page must begin with the entries of that instant. */
  readonly tail: number | undefined
  readonly number: number
  readonly newest: number | undefined
}

export const tiedCursor = <A, E, R>({
  read,
  back,
}: TiedCursor<A, E, R>): Stream.Stream<ReadPage<A>, E, R> => {
  const start: State = { before: undefined, tail: undefined, number: 1, newest: undefined }
  return Stream.paginate(
    start,
    Effect.fnUntraced(function* (state: State) {
      const { before, number } = state
      const page = yield* read(before?.cursor)
      const newest = page.places.reduce((max, { at }) => Math.max(max, at), -Infinity)
      const oldest = page.places.reduce((min, { at }) => Math.min(min, at), Infinity)
      const isDone = !page.more || (back !== undefined && oldest < back)
      const next = isDone ? undefined : nextPlace(page, oldest)
      const stalled = isDone ? undefined : stallReason(before, next)
      const seen = Math.max(state.newest ?? -Infinity, newest)
      const current: ReadPage<A> = {
        before: before?.cursor,
        number,
        content: page.content,
        newest: seen === -Infinity ? undefined : seen,
        isEmpty: page.places.length === 0,
        losses: [
          ...skippedEntries(state.tail, newest),
          ...(stalled === undefined && next?.at === oldest
            ? [{ from: oldest, to: oldest, why: "tie" as const }]
            : []),
        ],
        isLast: isDone || stalled !== undefined,
        stalled,
      }
      if (next === undefined || stalled !== undefined) return [[current], Option.none()] as const
      const tail = next.at === oldest ? undefined : oldest
      const after: State = { before: next, tail, number: number + 1, newest: current.newest }
      return [[current], Option.some(after)] as const
    }),
  )
}

/**
 * The oldest place strictly newer than the page's last instant: the page after it begins with the whole tie that this
 * page may have cut off. If the page has only one instant, reading continues from that, and entries may be lost.
 */
const nextPlace = ({ places }: CursorPage<unknown>, oldest: number): Place | undefined =>
  places.reduce<Place | undefined>(
    (best, place) =>
      place.at > oldest && (best === undefined || best.at === oldest || place.at <= best.at)
        ? place
        : best,
    places.find(({ at }) => at === oldest),
  )

/** Each cursor must be older than the previous one; otherwise reading would never end. */
const stallReason = (before: Place | undefined, next: Place | undefined): string | undefined => {
  const where = before === undefined ? "the first page" : `the page before ${before.cursor}`
  if (next === undefined) return `says that there is more, but ${where} holds no entry`
  return before !== undefined && next.at >= before.at
    ? `says that there is more, but ${where} leads no further back than it`
    : undefined
}

/** A service that reads cursors less precisely than it writes them skips entries just before the cursor. */
const skippedEntries = (tail: number | undefined, newest: number): ReadonlyArray<Loss> =>
  tail === undefined || newest >= tail
    ? []
    : [{ from: newest === -Infinity ? tail : newest + 1, to: tail, why: "skipped" }]
