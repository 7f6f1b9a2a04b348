// The laws of reading by offset, against a list that changes between two requests: a reading that counts as whole has
// every row that was there all along, and sends no request too many.
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { overlappingOffsets } from "../../../src/extract/paginators/overlappingOffsets.ts"

interface Change {
  readonly kind: "insert" | "remove" | "move" | "swap"
  /** Where in the list, as a share of its length. */
  readonly at: number
  readonly to: number
  /** How many neighbours at once. */
  readonly count: number
}

/** What happens before each request; after the last change the list stands still. */
type Timeline = ReadonlyArray<ReadonlyArray<Change>>

interface Options {
  readonly limit?: number
  readonly overlap?: number
  readonly maxReadings?: number
  readonly failAt?: number
  /** The most rows the service returns, whatever the limit. */
  readonly cap?: number
}

interface Page {
  readonly offset: number
  readonly keys: ReadonlyArray<string>
}

const names = (size: number): ReadonlyArray<string> =>
  Array.from({ length: size }, (_, place) => `row ${place}`)

const readList = (initial: ReadonlyArray<string>, timeline: Timeline, options: Options = {}) => {
  const { limit = 1000, overlap = 100, maxReadings = 3 } = options
  let list = [...initial]
  let fresh = 0
  const lists: Array<ReadonlyArray<string>> = []
  const offsets: Array<number> = []
  const apply = ({ kind, at, to, count }: Change) => {
    const place = Math.floor(at * list.length)
    if (kind === "insert") {
      const added = Array.from({ length: count }, () => `new ${(fresh += 1)}`)
      list = list.toSpliced(place, 0, ...added)
      return
    }
    if (kind === "swap") {
      const other = Math.floor(to * list.length)
      const [one, two] = [list[place], list[other]]
      if (one !== undefined && two !== undefined) list = list.with(place, two).with(other, one)
      return
    }
    const taken = list.slice(place, place + count)
    list = list.toSpliced(place, count)
    if (kind === "move") list = list.toSpliced(Math.floor(to * list.length), 0, ...taken)
  }
  return Effect.map(
    overlappingOffsets<Page, string, never>({
      limit,
      overlap,
      maxReadings,
      read: (offset) => {
        for (const change of timeline[offsets.length] ?? []) apply(change)
        offsets.push(offset)
        lists.push(list)
        if (options.failAt === offsets.length) return Effect.fail("no response")
        const keys = list.slice(offset, offset + Math.min(limit, options.cap ?? limit))
        return Effect.succeed({ content: { offset, keys }, keys })
      },
    }),
    (readings) => ({ ...readings, offsets, lists }),
  )
}

type Reading = Effect.Success<ReturnType<typeof readList>>

const found = (pages: ReadonlyArray<Page>) => new Set(pages.flatMap(({ keys }) => keys))

/** Rows that were in the list at each request of the whole reading and are not in its pages. */
const missed = ({ whole, lists, read }: Reading): ReadonlyArray<string> => {
  if (whole === undefined) return []
  const during = lists.slice(read.length - whole.length)
  const there = during.map((list) => new Set(list))
  const pages = found(whole)
  return (during[0] ?? []).filter((row) => there.every((list) => list.has(row)) && !pages.has(row))
}

/** The least number of pages that reach a short one. */
const fewest = (size: number, limit = 1000, step = 900): number => {
  let pages = 1
  while (size - (pages - 1) * step >= limit) pages += 1
  return pages
}

const Share = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 0.999 }))
const changes = (...kinds: ReadonlyArray<Change["kind"]>) =>
  Schema.Array(
    Schema.Array(
      Schema.Struct({
        kind: Schema.Literals(kinds),
        at: Share,
        to: Share,
        count: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 30 })),
      }),
    ).check(Schema.isMaxLength(3)),
  ).check(Schema.isMaxLength(12))
const Size = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 120 }))
const small = { limit: 20, overlap: 2 }

describe("a list in which rows change places unseen", () => {
  it.effect("is whole only if the next reading has the same rows in the same places", () =>
    Effect.gen(function* () {
      const swap = (at: number, to: number): Change => ({ kind: "swap", at, to, count: 1 })
      const timeline: Array<ReadonlyArray<Change>> = []
      // Each time a row that was read trades places with one that was not, between the second and third of four pages.
      timeline[2] = [swap(3 / 60, 45 / 60)]
      timeline[6] = [swap(5 / 60, 50 / 60)]
      const reading = yield* readList(names(60), timeline, small)
      expect(reading.offsets).toEqual([0, 18, 36, 54, 0, 18, 36, 54, 0, 18, 36, 54])
      expect(missed(reading)).toEqual([])
      expect(found(reading.whole ?? [])).toEqual(new Set(names(60)))
    }),
  )
})

describe("a list that stands still", () => {
  it.effect.each([
    { size: 0, offsets: [0] },
    { size: 1, offsets: [0, 1] },
    { size: 2, offsets: [0, 1] },
    { size: 37, offsets: [0, 33] },
    { size: 999, offsets: [0, 899] },
    { size: 1000, offsets: [0, 900] },
    { size: 1899, offsets: [0, 900] },
    { size: 1900, offsets: [0, 900, 1800] },
    { size: 2345, offsets: [0, 900, 1800] },
  ])("of $size rows is read whole, once, with the fewest requests", ({ size, offsets }) =>
    Effect.gen(function* () {
      const reading = yield* readList(names(size), [])
      expect(reading.offsets).toEqual(offsets)
      expect(found(reading.whole ?? [])).toEqual(new Set(names(size)))
      expect(reading.failure).toBeUndefined()
    }),
  )

  it.effect.each([
    { size: 2345, cap: 500 },
    { size: 345, cap: 100 },
    { size: 500, cap: 500 },
    { size: 950, cap: 250 },
    { size: 120, cap: 50 },
    { size: 120, cap: 7 },
    { size: 3, cap: 1 },
  ])("of $size rows is read whole from a service that returns $cap at once", ({ size, cap }) =>
    Effect.gen(function* () {
      const reading = yield* readList(names(size), [], { cap })
      expect(found(reading.whole ?? [])).toEqual(new Set(names(size)))
      const step = Math.max(1, cap - Math.ceil(cap / 10))
      expect(reading.offsets).toHaveLength(fewest(size, cap, step))
    }),
  )

  it.effect("that holds a row twice is read twice, and then accepted", () =>
    Effect.gen(function* () {
      const list = [...names(50), "row 3"]
      const reading = yield* readList(list, [], small)
      expect(found(reading.whole ?? [])).toEqual(new Set(list))
      expect(reading.offsets).toHaveLength(2 * fewest(51, 20, 18))
    }),
  )
})

describe("a list that moves", () => {
  const many = { arbitrary: { runs: 500 } }

  it.effect.prop(
    "whatever it gains and loses, a whole reading misses no row that was there all along",
    [Size, changes("insert", "remove")],
    ([size, timeline]) =>
      Effect.gen(function* () {
        expect(missed(yield* readList(names(size), timeline, small))).toEqual([])
      }),
    many,
  )

  it.effect.prop(
    "whatever it reorders and gains, likewise",
    [Size, changes("insert", "move", "swap")],
    ([size, timeline]) =>
      Effect.gen(function* () {
        expect(missed(yield* readList(names(size), timeline, small))).toEqual([])
      }),
    many,
  )

  it.effect.prop(
    "ends, and returns no row that was never there",
    [Size, changes("insert", "remove", "move", "swap")],
    ([size, timeline]) =>
      Effect.gen(function* () {
        const reading = yield* readList(names(size), timeline, small)
        const ever = new Set(reading.lists.flat())
        expect([...found(reading.read)].filter((row) => !ever.has(row))).toEqual([])
        const largest = Math.max(...reading.lists.map(({ length }) => length))
        // Each page begins a row after the one before it at least; after a first page of a row or two it may be no more.
        expect(reading.offsets.length).toBeLessThanOrEqual(3 * (largest + 1))
        expect(reading.whole === undefined || reading.whole.length <= reading.read.length).toBe(
          true,
        )
      }),
    many,
  )

  it.effect("is read again as soon as a change is noticed, until it stands still", () =>
    Effect.gen(function* () {
      const gained: Change = { kind: "insert", at: 0, to: 0, count: 1 }
      const reading = yield* readList(names(2345), [[], [gained]])
      expect(reading.offsets).toEqual([0, 900, 0, 900, 1800])
      expect(found(reading.whole ?? [])).toEqual(new Set(reading.lists.at(-1)))
    }),
  )

  it.effect("that shrinks below the next page's offset is noticed by the rows it lacks", () =>
    Effect.gen(function* () {
      const lost: Change = { kind: "remove", at: 0, to: 0, count: 501 }
      const reading = yield* readList(names(1200), [[], [lost]])
      expect(reading.offsets).toEqual([0, 900, 0, 629])
      expect(found(reading.whole ?? [])).toEqual(new Set(reading.lists.at(-1)))
    }),
  )

  it.effect("moves without end: given up after three readings, the last of them to the end", () =>
    Effect.gen(function* () {
      const gained: Change = { kind: "insert", at: 0, to: 0, count: 1 }
      const reading = yield* readList(
        names(2345),
        Array.from({ length: 20 }, () => [gained]),
      )
      expect(reading.whole).toBeUndefined()
      expect(reading.offsets).toEqual([0, 900, 0, 900, 0, 900, 1800])
      expect([...names(2345)].filter((row) => !found(reading.read).has(row))).toEqual([])
    }),
  )
})

describe("a service that is not as documented", () => {
  it.effect.each([
    { rows: 20, isWhole: false, sent: 6 },
    { rows: 19, isWhole: true, sent: 2 },
  ])("ignores the offset, with $rows rows: the reading ends", ({ rows, isWhole, sent }) =>
    Effect.gen(function* () {
      let requests = 0
      const keys = names(rows)
      const readings = yield* overlappingOffsets<null, never, never>({
        ...small,
        maxReadings: 3,
        read: () => {
          requests += 1
          return Effect.succeed({ content: null, keys })
        },
      })
      expect(readings.whole?.length).toBe(isWhole ? 2 : undefined)
      expect(requests).toBe(sent)
    }),
  )

  it.effect("fails on a page: the reading ends and returns what it has", () =>
    Effect.gen(function* () {
      const reading = yield* readList(names(2345), [], { failAt: 3 })
      expect(reading).toMatchObject({ failure: "no response", whole: undefined })
      expect(reading.read.map(({ offset }) => offset)).toEqual([0, 900])
    }),
  )
})
