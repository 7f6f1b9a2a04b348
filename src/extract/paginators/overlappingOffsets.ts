// Reads a list by offset while it may gain and lose rows between two pages. Pages overlap, so that a change is noticed;
// then the list is read again, until a reading finds it unchanged.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { looksCutOff } from "./plausibleCap.ts"

export interface OffsetPage<A> {
  readonly content: A
  /** What identifies each row, in the order of the response. */
  readonly keys: ReadonlyArray<string>
}

export interface OverlappingOffsets<A, E, R> {
  /** Rows requested per page. */
  readonly limit: number
  /** Rows of a page that the next one repeats: at least one. */
  readonly overlap: number
  /** How many times the list is read at most. */
  readonly maxReadings: number
  readonly read: (offset: number) => Effect.Effect<OffsetPage<A>, E, R>
}

export interface OffsetReads<A, E> {
  /** Every page read, in order. */
  readonly read: ReadonlyArray<A>
  /** Pages of the reading that found the list unchanged: the whole list. `undefined` when none did. */
  readonly whole: ReadonlyArray<A> | undefined
  /** The failure that ended the reading early. */
  readonly failure: E | undefined
}

interface OffsetRead<A> {
  readonly pages: ReadonlyArray<A>
  /** Key of each place in the list. */
  readonly places: ReadonlyArray<string>
  /**
   * `moved`: the overlap shows other rows than before. `repeats`: it shows the same, but a row is in two places: it has
   * moved, or the list has it twice.
   */
  readonly found: "still" | "repeats" | "moved"
}

/**
 * The rows that two pages share must be the same in the same places: a row gained or lost before them shifts them. No
 * row may come in two places: it was moved, and another may have moved out of the part not yet read. (Unless a second
 * reading finds the same: then the list has it twice.)
 *
 * So a whole reading holds every row that was in the list all along, whatever rows the list gained and lost, as long as
 * the others kept their order; and whatever was reordered, as long as none was lost. No reading can notice a row that
 * jumps over the current place at the moment another is lost before it.
 *
 * It sends the fewest requests: a page shorter than those before it is the end. A first page with fewer rows than requested
 * shows how many the service returns at once, so one more page shows whether it is the list: taken for the end, it would
 * retire what a lower limit of the service cuts off. (§4.3: only a page past the end is empty.)
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

/** The rows of a page that the next one does not repeat. */
const stepOf = (size: number, overlap: number): number =>
  Math.max(1, size - Math.ceil(size * overlap))

/** From the first page to the end; stops where the list moved, unless it is the last reading. */
const readOnce = Effect.fnUntraced(function* <A, E, R>(
  { limit, overlap, read }: OverlappingOffsets<A, E, R>,
  all: Array<A>,
  last: boolean,
) {
  const pages: Array<A> = []
  const places: Array<string> = []
  /** Offset and place where each key first came. */
  const seen = new Map<string, { readonly offset: number; readonly place: number }>()
  let found: OffsetRead<A>["found"] = "still"
  let size = limit
  for (let offset = 0; ; offset += stepOf(size, overlap / limit)) {
    const { content, keys } = yield* read(offset)
    // More at once than the first page had: that one held a list which was shorter then.
    if (keys.length > 0) size = offset === 0 ? keys.length : Math.max(size, keys.length)
    all.push(content)
    pages.push(content)
    // The service ignores the offset; only a number that is a likely limit may have cut the list off.
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
    // A full page with nothing new: the list repeats itself, or the service ignores the offset.
    const isCircle = !isEnd && seen.size === known
    if (isCircle) found = "moved"
    if (isEnd || isCircle || (found === "moved" && !last)) {
      return { pages, places, found } satisfies OffsetRead<A>
    }
  }
})
