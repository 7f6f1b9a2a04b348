// The laws of paging with a cursor that skips ties, against a server exactly as §4.1 describes it: nothing is lost but
// what one instant holds beyond a page, and that is reported.
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import {
  type CursorPage,
  tiedCursor,
  type ReadPage,
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

type Pages = ReadonlyArray<ReadPage<ReadonlyArray<Entry>>>

const readLog = (log: ReadonlyArray<Entry>, limit: number, back?: number): Effect.Effect<Pages> =>
  Stream.runCollect(
    tiedCursor({ back, read: (before) => Effect.sync(() => pageOf(log, before, limit)) }),
  )

/** Pages as the document says: pass back the last timestamp (§4.1). */
const requestsOfPlainClient = (log: ReadonlyArray<Entry>, limit: number): number => {
  let before: string | undefined
  for (let requests = 1; ; requests += 1) {
    const { places, more } = pageOf(log, before, limit)
    if (!more) return requests
    before = places.at(-1)?.cursor
  }
}

const seenIn = (pages: Pages): ReadonlySet<string> =>
  new Set(pages.flatMap(({ content }) => content.map(({ id }) => id)))

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
    "collects everything but what one instant holds beyond a page, and reports where that is",
    [Ties, between(1, 30)],
    ([ties, limit]) =>
      Effect.gen(function* () {
        const log = logOf(ties)
        const pages = yield* readLog(log, limit)
        const seen = seenIn(pages)
        const hidden = [...sizes(log)].filter(([, size]) => size > limit)
        const lost = log.filter(({ id }) => !seen.has(id))
        expect(lost.length).toBe(hidden.reduce((sum, [, size]) => sum + size - limit, 0))
        const losses = pages.flatMap((page) => page.losses)
        const reported = new Set(losses.map(({ from }) => from))
        for (const { at } of lost) expect(reported).toContain(at)
        for (const { from, to, why } of losses) {
          // Reported only where a single instant filled a page and older entries follow.
          expect([why, to]).toEqual(["tie", from])
          expect(sizes(log).get(from)).toBeGreaterThanOrEqual(limit)
        }
        expect(pages.at(-1)).toMatchObject({ isLast: true, stalled: undefined })
        expect(pages.at(-1)?.newest).toBe(log.at(-1)?.at)
      }),
    { arbitrary: { runs: 300 } },
  )

  it.effect.prop(
    "sends few more requests than a client that loses ties",
    [Ties, between(1, 80)],
    ([ties, limit]) =>
      Effect.gen(function* () {
        const log = logOf(ties)
        const pages = yield* readLog(log, limit)
        const largest = Math.max(0, ...sizes(log).values())
        // A page repeats the tie its predecessor ended in, and nothing else.
        if (largest < limit) {
          expect(pages.length).toBeLessThanOrEqual(1 + Math.ceil(log.length / (limit - largest)))
        }
        // A tie that fills pages costs one page more: the one it first appears in.
        const filling = [...sizes(log).values()].filter((size) => size >= limit).length
        expect(pages.length).toBeLessThanOrEqual(1 + sizes(log).size + filling)
        expect(pages.length).toBeGreaterThanOrEqual(requestsOfPlainClient(log, limit))
      }),
    { arbitrary: { runs: 300 } },
  )

  it.effect.prop(
    "without ties repeats one entry a page",
    [between(0, 300), between(2, 30)],
    ([count, limit]) =>
      Effect.gen(function* () {
        const log = Array.from({ length: count }, (_, at) => ({ at, id: String(at) }))
        const pages = yield* readLog(log, limit)
        expect(pages.length).toBe(Math.max(1, Math.ceil((count - 1) / (limit - 1))))
        expect(pages.flatMap(({ losses }) => losses)).toEqual([])
      }),
  )

  it.effect.prop(
    "stopped at an instant, has read everything from it on and no page too many",
    [Ties, between(1, 30), between(0, 40), between(-1, 1)],
    ([ties, limit, tie, offset]) =>
      Effect.gen(function* () {
        const log = logOf(ties)
        const instants = [...sizes(log).keys()]
        const back = (instants[tie % Math.max(1, instants.length)] ?? 0) + offset
        const hidden = new Set([...sizes(log)].flatMap(([at, size]) => (size > limit ? [at] : [])))
        const pages = yield* readLog(log, limit, back)
        const seen = seenIn(pages)
        for (const { at, id } of log) {
          if (at >= back && !hidden.has(at)) expect(seen).toContain(id)
        }
        // No page but the last shows anything older.
        for (const { content, isLast } of pages) {
          if (!isLast) expect(content.every(({ at }) => at >= back)).toBe(true)
        }
      }),
    { arbitrary: { runs: 200 } },
  )

  it.effect.prop(
    "finds late and backdated entries: those from the mark on by a short scan, all others by a full one",
    [Ties, Ties, between(1, 30)],
    ([before, added, limit]) =>
      Effect.gen(function* () {
        const first = logOf(before)
        const late = logOf(added).map(({ at, id }) => ({ at, id: `late ${id}` }))
        const log = [...first, ...late]
        const hidden = new Set([...sizes(log)].flatMap(([at, size]) => (size > limit ? [at] : [])))
        const mark = (first.at(-1)?.at ?? 0) - 20
        const short = new Set(seenIn(yield* readLog(first, limit)))
        for (const id of seenIn(yield* readLog(log, limit, mark))) short.add(id)
        for (const { at, id } of late) {
          if (at >= mark && !hidden.has(at)) expect(short).toContain(id)
        }
        const whole = seenIn(yield* readLog(log, limit))
        for (const { at, id } of log) if (!hidden.has(at)) expect(whole).toContain(id)
      }),
    { arbitrary: { runs: 200 } },
  )

  it.effect("passes back the service's own spelling, that of the last entry at the instant", () =>
    Effect.gen(function* () {
      const requests: Array<string | undefined> = []
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
              requests.push(before)
              return {
                content: null,
                places: before === undefined ? places : [],
                more: !requests[1],
              }
            }),
        }),
      )
      expect(requests).toEqual([undefined, "2026-01-02T00:00:00"])
    }),
  )

  const scripted = (pages: ReadonlyArray<readonly [ReadonlyArray<number>, boolean]>) => {
    let requests = 0
    return Stream.runCollect(
      tiedCursor({
        back: undefined,
        read: () =>
          Effect.sync(() => {
            const [instants, more] = pages[Math.min(requests, pages.length - 1)] ?? [[], false]
            requests += 1
            return {
              content: instants,
              places: instants.map((at) => ({ cursor: textOf(at), at })),
              more,
            }
          }),
      }),
    )
  }

  it.effect("stops at a server that returns the same page forever", () =>
    Effect.gen(function* () {
      for (const page of [
        [5, 4, 4],
        [4, 4],
      ]) {
        const pages = yield* scripted([[page, true]])
        expect(pages).toHaveLength(2)
        expect(pages.at(-1)).toMatchObject({ isLast: true })
        expect(pages.at(-1)?.stalled).toContain("leads no further back")
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

  it.effect(
    "reports what a server skips that reads the cursor less exactly than it writes it",
    () =>
      Effect.gen(function* () {
        const pages = yield* scripted([
          [[9, 8, 7], true],
          [[3, 2], false],
        ])
        expect(pages.flatMap(({ losses }) => losses)).toEqual([{ from: 4, to: 7, why: "skipped" }])
        expect(pages.at(-1)?.stalled).toBeUndefined()
      }),
  )

  it.effect("knows the newest instant although a later page is older", () =>
    Effect.gen(function* () {
      const pages = yield* scripted([
        [[9, 8], true],
        [[8, 7], false],
      ])
      expect(pages.map(({ newest, number }) => [newest, number])).toEqual([
        [9, 1],
        [9, 2],
      ])
    }),
  )
})
