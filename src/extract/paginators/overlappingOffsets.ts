// Reads a list by offset although it may gain and lose rows between two pages. Pages overlap, so that a change is
// noticed; the list is read again until it does not change during a reading.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { looksCutOff } from "./plausibleCap.ts"

export interface OffsetPage<A> {
  readonly content: A
  /** The key of each row, in the order of the response. */
  readonly keys: ReadonlyArray<string>
}

export interface OverlappingOffsets<A, E, R> {
  /** Rows requested per page. */
  readonly limit: number
  /** How many rows of a page the next page repeats; at least one. */
  readonly overlap: number
  /** The maximum number of times the list is read. */
  readonly maxReadings: number
  readonly read: (offset: number) => Effect.Effect<OffsetPage<A>, E, R>
}

export interface OffsetReads<A, E> {
  /** Every page read, in order. */
  readonly read: ReadonlyArray<A>
  /** The pages of the reading during which the list did not change, or `undefined` if there was none. */
  readonly whole: ReadonlyArray<A> | undefined
  /** The failure that ended the reading early. */
  readonly failure: E | undefined
}

interface OffsetRead<A> {
  readonly pages: ReadonlyArray<A>
  /** The key at each place in the list. */
  readonly places: ReadonlyArray<string>
  /**
   * Whether the list changed during the reading. `moved`: an overlap has other rows than before. `repeats`: the
   * overlaps are the same, but a row is in two places, so it has moved or the list contains it twice.
   */
  readonly found: "still" | "repeats" | "moved"
}

/**
 * The rows that two pages share must be the same in the same places, because a row gained or lost before them would
 * shift them. No row may be in two places: otherwise it has moved, and another row may have moved out of the part not
 * yet read (unless a second reading is the same: then the list contains the row twice).
 *
 * A reading that passes therefore contains every row that was in the list all the time, whichever rows the list gained
 * and lost, if the others kept their order, and however rows were reordered, if none was lost. No reading can notice a
 * row that jumps over the current place at the same moment as another row before it is lost.
 *
 * It sends as few requests as possible: a page shorter than those before it is the end. A first page with fewer rows
 * than requested may be the whole list or as much as the service returns at once; one more page shows which. Taking it
 * for the end would retire the rows that the service cut off. (§4.3: only a page past the end is empty.)
 */
export const overlappingOffsets = <A, E, R>(
  options: OverlappingOffsets<A, E, R>,
): Effect.Effect<OffsetReads<A, E>, never, R> =>
  Effect.gen(function* () {
    const read: Array<A> = []
    let before: OffsetRead<A> | undefined
    for (let readings = 1; readings <= options.maxReadings; readings += 1) {
      const outcome = yield* Effect.result(
        readOnce(options, read, readings === options.maxReadings),
      )
      if (Result.isFailure(outcome)) return { read, whole: undefined, failure: outcome.failure }
      const reading = outcome.success
      if (reading.found === "still" || (reading.found === "repeats" && sameList(reading, before))) {
        return { read, whole: reading.pages, failure: undefined }
      }
      before = reading
    }
    return { read, whole: undefined, failure: undefined }
  })

const sameList = (reading: OffsetRead<unknown>, before: OffsetRead<unknown> | undefined): boolean =>
  before?.found === "repeats" &&
  before.places.length === reading.places.length &&
  before.places.every((key, place) => key === reading.places[place])

const sameKeys = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): boolean =>
  one.length === other.length && one.every((key, at) => key === other[at])

/** How many rows of a page the next page does not repeat. */
const stepOf = (size: number, overlap: number): number =>
  Math.max(1, size - Math.ceil(size * overlap))

/** Reads from the first page to the end. Stops as soon as the list has moved, unless it is the last reading. */
const readOnce = Effect.fnUntraced(function* <A, E, R>(
  { limit, overlap, read }: OverlappingOffsets<A, E, R>,
  all: Array<A>,
  last: boolean,
) {
  const pages: Array<A> = []
  const places: Array<string> = []
  /** The offset of the page and the place at which each key came first. */
  const seen = new Map<string, { readonly offset: number; readonly place: number }>()
  let found: OffsetRead<A>["found"] = "still"
  let size = limit
  for (let offset = 0; ; offset += stepOf(size, overlap / limit)) {
    const { content, keys } = yield* read(offset)
    // If a page has more rows than the first one, the list was shorter when that one was read.
    if (keys.length > 0) size = offset === 0 ? keys.length : Math.max(size, keys.length)
    all.push(content)
    pages.push(content)
    // A service that ignores the offset returns the whole list, unless its size is a likely limit.
    const isFirstAgain = offset > 0 && size < limit && sameKeys(keys, places)
    if (isFirstAgain && !looksCutOff(size)) return { pages, places, found }
    const known = seen.size
    if (places.slice(offset).some((key, at) => key !== keys[at])) found = "moved"
    for (const [at, key] of keys.entries()) {
      const place = offset + at
      const earlier = seen.get(key)
      if (earlier === undefined) seen.set(key, { offset, place })
      else if (earlier.offset !== offset && earlier.place !== place && found === "still") {
        found = "repeats"
      }
      places[place] = key
    }
    const isEnd = keys.length < size
    // A full page without new rows: the list repeats itself, or the service ignores the offset.
    const hasNothingNew = !isEnd && seen.size === known
    if (hasNothingNew) found = "moved"
    if (isEnd || hasNothingNew || (found === "moved" && !last)) {
      return { pages, places, found } satisfies OffsetRead<A>
    }
  }
})
