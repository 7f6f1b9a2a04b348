// What the server keeps of a copy, so that pages need not wait for it.
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import type { LatestCopy } from "../../src/pipelines/readers/latestCopy.ts"
import { ReadError } from "../../src/pipelines/readers/published.ts"
import { pastSites } from "../../src/serve/asOf/pastSites.ts"
import {
  cachedCompleteness,
  cachedOverview,
  cachedPeriodFigures,
  cachedVocabulary,
  type Site,
} from "../../src/serve/site.ts"

/** A copy without rows, whose first read fails. */
const failingOnce = () => {
  let reads = 0
  const read = (use: (...given: ReadonlyArray<unknown>) => unknown) =>
    reads++ === 0
      ? Effect.fail(new ReadError({ why: "DuckDB ended while it ran this query.", advice: "" }))
      : use({ rows: () => Effect.succeed([]) }, {})
  const publication = Effect.succeed({ runId: "run", publishedAt: "", file: "file" })
  return {
    latest: { publication, read, query: read } as unknown as LatestCopy,
    reads: () => reads,
  }
}

const limits = { seconds: 30, rows: 10 }

type Kept = (latest: LatestCopy) => Effect.Effect<Effect.Effect<unknown, ReadError>>

const kept: Readonly<Record<string, Kept>> = {
  overview: cachedOverview,
  completeness: cachedCompleteness,
  vocabulary: cachedVocabulary,
  periodFigures: (latest) =>
    Effect.map(cachedPeriodFigures(latest), (figures) =>
      figures({ from: "2026-05-01", to: "2026-05-31" }),
    ),
  past: (latest) => Effect.map(pastSites({ latest, limits } as Site), (past) => past("2020-01-01")),
}

it.live.each(Object.entries(kept))(
  "%s is read again after a failure, and kept from then on",
  ([, keep]) =>
    Effect.gen(function* () {
      const { latest, reads } = failingOnce()
      const read = yield* keep(latest)
      expect((yield* Effect.flip(read)).why).toContain("DuckDB ended")
      yield* read
      const enough = reads()
      yield* read
      expect(reads()).toBe(enough)
    }),
)

it.effect.each([
  [
    "waits for queries no longer than ten times as long as a query does",
    () => Effect.never,
    600,
    "waited 600 s for others",
  ],
  [
    "is read no longer than ten times as long as a query runs",
    (use: (...given: ReadonlyArray<unknown>) => unknown) => use({ rows: () => Effect.never }, {}),
    300,
    "was stopped after 300 s",
  ],
] as const)("a past state %s", ([, query, seconds, says]) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(Date.parse("2026-06-01T12:00:00Z"))
    const latest = { ...failingOnce().latest, query } as unknown as LatestCopy
    const past = yield* pastSites({ latest, limits } as Site)
    yield* Effect.ignore(past("2020-01-01"))
    const { overview } = yield* past("2020-01-01")
    const reading = yield* Effect.forkChild(Effect.flip(overview))
    yield* TestClock.adjust((seconds - 1) * 1000)
    expect(reading.pollUnsafe()).toBe(undefined)
    yield* TestClock.adjust(1000)
    expect((yield* Fiber.join(reading)).why).toContain(says)
  }),
)
