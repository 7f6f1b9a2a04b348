// Reads pages, newest first, with a cursor that excludes its own instant: passing back the last instant of a page would
// skip entries that share it (§4.1). Continues from the instant before it, so that every tie comes whole.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

/** An entry's place in the order: its time as the service wrote it, and in microseconds since 1970 UTC. */
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
  /** Entries strictly older than the cursor; the newest without one. */
  readonly read: (before: string | undefined) => Effect.Effect<CursorPage<A>, E, R>
  /** Reading ends once everything from this instant on is read. */
  readonly back: number | undefined
}

/** A range of instants, inclusive, in which entries may exist that no page shows. */
export interface Loss {
  readonly from: number
  readonly to: number
  /** `tie`: more entries at one instant than a page holds. `skipped`: the cursor passed over entries. */
  readonly why: "tie" | "skipped"
}

export interface ReadPage<A> {
  readonly before: string | undefined
  /** 1 for the first page. */
  readonly number: number
  readonly content: A
  /** Newest instant so far. */
  readonly newest: number | undefined
  readonly isEmpty: boolean
  readonly losses: ReadonlyArray<Loss>
  readonly isLast: boolean
  /** Why reading ends with this page although there is more. */
  readonly stalled: string | undefined
}

interface State {
  readonly before: Place | undefined
  /** Last instant of the page before: the next page must begin with the entries of that instant. */
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
      const next = isDone ? undefined : following(page, oldest)
      const stalled = isDone ? undefined : stallOf(before, next)
      const seen = Math.max(state.newest ?? -Infinity, newest)
      const current: ReadPage<A> = {
        before: before?.cursor,
        number,
        content: page.content,
        newest: seen === -Infinity ? undefined : seen,
        isEmpty: page.places.length === 0,
        losses: [
          ...skipped(state.tail, newest),
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
 * The oldest place strictly newer than the page's last: the page after it begins with the whole tie that this page may
 * have cut. A page of one instant has none; then its own instant leads on, past what it may have cut.
 */
const following = ({ places }: CursorPage<unknown>, oldest: number): Place | undefined =>
  places.reduce<Place | undefined>(
    (best, place) =>
      place.at > oldest && (best === undefined || best.at === oldest || place.at <= best.at)
        ? place
        : best,
    places.find(({ at }) => at === oldest),
  )

/** Each cursor must be older than the one before, or reading would never end. */
const stallOf = (before: Place | undefined, next: Place | undefined): string | undefined => {
  const where = before === undefined ? "the first page" : `the page before ${before.cursor}`
  if (next === undefined) return `says that there is more, but ${where} holds no entry`
  return before !== undefined && next.at >= before.at
    ? `says that there is more, but ${where} leads no further back than it`
    : undefined
}

/** A server that reads the cursor less exactly than it writes it skips entries just before it. */
const skipped = (tail: number | undefined, newest: number): ReadonlyArray<Loss> =>
  tail === undefined || newest >= tail
    ? []
    : [{ from: newest === -Infinity ? tail : newest + 1, to: tail, why: "skipped" }]
