// The laws of walking behind a cursor that skips ties, against a server exactly as §4.1 has it: whatever
// shares an instant, nothing is lost but what one instant holds beyond a page, and that is told.
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import {
  type CursorPage,
  tiedCursor,
  type WalkedPage,
} from "../../../src/extract/paginators/tiedCursor.ts"

interface Entry {
  readonly at: number
  readonly id: string
}

const textOf = (at: number): string => `t${at}`

/** Newest first, strictly before the cursor: ties at exactly its instant are skipped (§4.1). */
const pageOf = (
  log: ReadonlyArray<Entry>,
  before: string | undefined,
  limit: number,
): CursorPage<ReadonlyArray<Entry>> => {
  const bound = before === undefined ? Infinity : Number(before.slice(1))
  const rest = log.filter(({ at }) => at < bound).toSorted((a, b) => b.at - a.at)
  const content = rest.slice(0, limit)
  return {
    content,
    places: content.map(({ at }) => ({ cursor: textOf(at), at })),
    more: rest.length > limit,
  }
}

type Walked = ReadonlyArray<WalkedPage<ReadonlyArray<Entry>>>

const walk = (log: ReadonlyArray<Entry>, limit: number, back?: number): Effect.Effect<Walked> =>
  Stream.runCollect(
    tiedCursor({ back, read: (before) => Effect.sync(() => pageOf(log, before, limit)) }),
  )

/** As the document says to page: the last timestamp passed back (§4.1). */
const requestsOfPlainClient = (log: ReadonlyArray<Entry>, limit: number): number => {
  let before: string | undefined
  for (let requests = 1; ; requests += 1) {
    const { places, more } = pageOf(log, before, limit)
    if (!more) return requests
    before = places.at(-1)?.cursor
  }
}

const seenIn = (walked: Walked): ReadonlySet<string> =>
  new Set(walked.flatMap(({ content }) => content.map(({ id }) => id)))

const between = (minimum: number, maximum: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** Ties by how long after the one before they are and how many entries they hold. */
const Ties = Schema.Array(Schema.Struct({ after: between(1, 40), size: between(1, 25) })).check(
  Schema.isMaxLength(40),
)

const logOf = (ties: typeof Ties.Type): ReadonlyArray<Entry> => {
  let at = 1000
  return ties.flatMap(({ after, size }) => {
    at += after
    return Array.from({ length: size }, (_, index) => ({ at, id: `${at}/${index}` }))
  })
}

const sizes = (log: ReadonlyArray<Entry>): ReadonlyMap<number, number> => {
  const counts = new Map<number, number>()
  for (const { at } of log) counts.set(at, (counts.get(at) ?? 0) + 1)
  return counts
}

describe("tiedCursor", () => {
  it.effect.prop(
    "collects everything but what one instant holds beyond a page, and tells where that is",
    [Ties, between(1, 30)],
    ([ties, limit]) =>
      Effect.gen(function* () {
        const log = logOf(ties)
        const walked = yield* walk(log, limit)
        const seen = seenIn(walked)
        const hidden = [...sizes(log)].filter(([, size]) => size > limit)
        const lost = log.filter(({ id }) => !seen.has(id))
        expect(lost.length).toBe(hidden.reduce((sum, [, size]) => sum + size - limit, 0))
        const losses = walked.flatMap((page) => page.losses)
        const told = new Set(losses.map(({ from }) => from))
        for (const { at } of lost) expect(told).toContain(at)
        for (const { from, to, why } of losses) {
          // Told only where a page was filled by a single instant and older entries follow.
          expect([why, to]).toEqual(["tie", from])
          expect(sizes(log).get(from)).toBeGreaterThanOrEqual(limit)
        }
        expect(walked.at(-1)).toMatchObject({ isLast: true, stalled: undefined })
        expect(walked.at(-1)?.newest).toBe(log.at(-1)?.at)
      }),
    { arbitrary: { runs: 300 } },
  )

  it.effect.prop(
    "asks little more often than a client that loses ties",
    [Ties, between(1, 80)],
    ([ties, limit]) =>
      Effect.gen(function* () {
        const log = logOf(ties)
        const walked = yield* walk(log, limit)
        const largest = Math.max(0, ...sizes(log).values())
        // A page repeats the tie its predecessor ended in, and nothing else.
        if (largest < limit) {
          expect(walked.length).toBeLessThanOrEqual(1 + Math.ceil(log.length / (limit - largest)))
        }
        // A tie that fills pages costs one page more: the one it is met in.
        const filling = [...sizes(log).values()].filter((size) => size >= limit).length
        expect(walked.length).toBeLessThanOrEqual(1 + sizes(log).size + filling)
        expect(walked.length).toBeGreaterThanOrEqual(requestsOfPlainClient(log, limit))
      }),
    { arbitrary: { runs: 300 } },
  )

  it.effect.prop(
    "without ties repeats one entry a page",
    [between(0, 300), between(2, 30)],
    ([count, limit]) =>
      Effect.gen(function* () {
        const log = Array.from({ length: count }, (_, at) => ({ at, id: String(at) }))
        const walked = yield* walk(log, limit)
        expect(walked.length).toBe(Math.max(1, Math.ceil((count - 1) / (limit - 1))))
        expect(walked.flatMap(({ losses }) => losses)).toEqual([])
      }),
  )

  it.effect.prop(
    "stopped at an instant, has read all from it on and no page more than needed",
    [Ties, between(1, 30), between(0, 40), between(-1, 1)],
    ([ties, limit, tie, beside]) =>
      Effect.gen(function* () {
        const log = logOf(ties)
        const instants = [...sizes(log).keys()]
        const back = (instants[tie % Math.max(1, instants.length)] ?? 0) + beside
        const hidden = new Set([...sizes(log)].flatMap(([at, size]) => (size > limit ? [at] : [])))
        const walked = yield* walk(log, limit, back)
        const seen = seenIn(walked)
        for (const { at, id } of log) {
          if (at >= back && !hidden.has(at)) expect(seen).toContain(id)
        }
        // No page but the last shows anything older.
        for (const { content, isLast } of walked) {
          if (!isLast) expect(content.every(({ at }) => at >= back)).toBe(true)
        }
      }),
    { arbitrary: { runs: 200 } },
  )

  it.effect.prop(
    "late and dated-back entries: new ones from the mark on by a short walk, all others by a whole one",
    [Ties, Ties, between(1, 30)],
    ([before, added, limit]) =>
      Effect.gen(function* () {
        const first = logOf(before)
        const late = logOf(added).map(({ at, id }) => ({ at, id: `late ${id}` }))
        const log = [...first, ...late]
        const hidden = new Set([...sizes(log)].flatMap(([at, size]) => (size > limit ? [at] : [])))
        const mark = (first.at(-1)?.at ?? 0) - 20
        const short = new Set(seenIn(yield* walk(first, limit)))
        for (const id of seenIn(yield* walk(log, limit, mark))) short.add(id)
        for (const { at, id } of late) {
          if (at >= mark && !hidden.has(at)) expect(short).toContain(id)
        }
        const whole = seenIn(yield* walk(log, limit))
        for (const { at, id } of log) if (!hidden.has(at)) expect(whole).toContain(id)
      }),
    { arbitrary: { runs: 200 } },
  )

  it.effect("passes the service's own spelling back, of the last entry that has it", () =>
    Effect.gen(function* () {
      const asked: Array<string | undefined> = []
      const places = [
        { cursor: "2026-01-02T00:00:00.0", at: 2 },
        { cursor: "2026-01-02T00:00:00", at: 2 },
        { cursor: "2026-01-01T00:00:00", at: 1 },
      ]
      yield* Stream.runDrain(
        tiedCursor({
          back: undefined,
          read: (before) =>
            Effect.sync(() => {
              asked.push(before)
              return { content: null, places: before === undefined ? places : [], more: !asked[1] }
            }),
        }),
      )
      expect(asked).toEqual([undefined, "2026-01-02T00:00:00"])
    }),
  )

  const scripted = (pages: ReadonlyArray<readonly [ReadonlyArray<number>, boolean]>) => {
    let asked = 0
    return Stream.runCollect(
      tiedCursor({
        back: undefined,
        read: () =>
          Effect.sync(() => {
            const [instants, more] = pages[Math.min(asked, pages.length - 1)] ?? [[], false]
            asked += 1
            return {
              content: instants,
              places: instants.map((at) => ({ cursor: textOf(at), at })),
              more,
            }
          }),
      }),
    )
  }

  it.effect("stops at a server that gives the same page for ever", () =>
    Effect.gen(function* () {
      for (const page of [
        [5, 4, 4],
        [4, 4],
      ]) {
        const walked = yield* scripted([[page, true]])
        expect(walked).toHaveLength(2)
        expect(walked.at(-1)).toMatchObject({ isLast: true })
        expect(walked.at(-1)?.stalled).toContain("leads no further back")
      }
    }),
  )

  it.effect("stops at an empty page that says there is more", () =>
    Effect.gen(function* () {
      const [first, ...others] = yield* scripted([[[], true]])
      expect(others).toEqual([])
      expect(first?.stalled).toContain("holds no entry")
    }),
  )

  it.effect("tells what a cursor read less exactly than written has passed over", () =>
    Effect.gen(function* () {
      const walked = yield* scripted([
        [[9, 8, 7], true],
        [[3, 2], false],
      ])
      expect(walked.flatMap(({ losses }) => losses)).toEqual([{ from: 4, to: 7, why: "skipped" }])
      expect(walked.at(-1)?.stalled).toBeUndefined()
    }),
  )

  it.effect("knows the newest instant although a later page is older", () =>
    Effect.gen(function* () {
      const walked = yield* scripted([
        [[9, 8], true],
        [[8, 7], false],
      ])
      expect(walked.map(({ newest, number }) => [newest, number])).toEqual([
        [9, 1],
        [9, 2],
      ])
    }),
  )
})
