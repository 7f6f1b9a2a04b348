// Reads a list that can be asked for by offset only, while it may gain and lose rows between two pages. Pages
// overlap, so that a list that moved is noticed; it is read again until a walk finds it still.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { looksCutOff } from "./plausibleCap.ts"

export interface OffsetPage<A> {
  readonly content: A
  /** What identifies each row, in the order served. */
  readonly keys: ReadonlyArray<string>
}

export interface OverlappingOffsets<A, E, R> {
  /** Rows a page is asked to hold. */
  readonly limit: number
  /** Rows of such a page that the next one repeats: at least one. */
  readonly overlap: number
  /** How often the list is read before it is taken as it comes. */
  readonly maxWalks: number
  readonly read: (offset: number) => Effect.Effect<OffsetPage<A>, E, R>
}

export interface OffsetWalks<A, E> {
  /** Every page read, in the order asked. */
  readonly read: ReadonlyArray<A>
  /** Pages of the walk that found the list still: all there is of it. Absent when none did. */
  readonly settled: ReadonlyArray<A> | undefined
  /** What ended the reading before its time. */
  readonly failure: E | undefined
}

interface Walk<A> {
  readonly pages: ReadonlyArray<A>
  /** Key of each place in the list. */
  readonly places: ReadonlyArray<string>
  /**
   * `moved`: the overlap shows other rows than before. `repeats`: it shows the same, but a row stands in two
   * places: it has moved, or the list holds it twice.
   */
  readonly found: "still" | "repeats" | "moved"
}

/**
 * The rows two pages share must be the same in the same places, all of them: a row gained or lost before
 * them shifts them. No row may come from two requests in two places: it was moved, and where one moved to what had
 * been read, another may have moved away from what had not. (Unless a second walk finds just the same: then
 * the list holds it twice.)
 *
 * So a settled walk holds every row that was in the list all the while, whatever rows the list gained
 * and lost, as long as the others kept their order; and whatever was reordered, as long as none was lost.
 * What no walk can see is a row that jumps over the place read up to just when another that was read is lost.
 *
 * The fewest requests: a short page is the end, and only a last page that is full needs one more after it. But a
 * first page of fewer rows than asked for that looks cut off (§4.3 allows 1,000; a service may give out less, or
 * have taken its default) is taken for what a page of this service holds.
 */
export const overlappingOffsets = <A, E, R>(
  options: OverlappingOffsets<A, E, R>,
): Effect.Effect<OffsetWalks<A, E>, never, R> =>
  Effect.gen(function* () {
    const read: Array<A> = []
    let before: Walk<A> | undefined
    for (let walks = 1; walks <= options.maxWalks; walks += 1) {
      const outcome = yield* Effect.result(walkOnce(options, read, walks === options.maxWalks))
      if (Result.isFailure(outcome)) return { read, settled: undefined, failure: outcome.failure }
      const walk = outcome.success
      if (walk.found === "still" || (walk.found === "repeats" && sameList(walk, before))) {
        return { read, settled: walk.pages, failure: undefined }
      }
      before = walk
    }
    return { read, settled: undefined, failure: undefined }
  })

const sameList = (walk: Walk<unknown>, before: Walk<unknown> | undefined): boolean =>
  before?.found === "repeats" &&
  before.places.length === walk.places.length &&
  before.places.every((key, place) => key === walk.places[place])

/** From the first page to the end; a walk whose list moved ends there, unless it is the last one. */
const walkOnce = Effect.fnUntraced(function* <A, E, R>(
  { limit, overlap, read }: OverlappingOffsets<A, E, R>,
  all: Array<A>,
  last: boolean,
) {
  const pages: Array<A> = []
  const places: Array<string> = []
  /** The request each key first came with, and its place then. */
  const seen = new Map<string, { readonly offset: number; readonly place: number }>()
  let found: Walk<A>["found"] = "still"
  let size = limit
  for (let offset = 0; ; offset += size - Math.ceil((size * overlap) / limit)) {
    const { content, keys } = yield* read(offset)
    if (offset === 0 && keys.length < limit && looksCutOff(keys.length)) size = keys.length
    all.push(content)
    pages.push(content)
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
    // A full page with nothing new: the list turns in circles, or the service does not heed the offset.
    const isCircle = !isEnd && seen.size === known
    if (isCircle) found = "moved"
    if (isEnd || isCircle || (found === "moved" && !last)) {
      return { pages, places, found } satisfies Walk<A>
    }
  }
})
