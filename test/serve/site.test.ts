// What the server keeps of a copy, so that pages need not wait for it.
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
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

type Kept = (latest: LatestCopy) => Effect.Effect<Effect.Effect<unknown, ReadError>>

const kept: Readonly<Record<string, Kept>> = {
  overview: cachedOverview,
  completeness: cachedCompleteness,
  vocabulary: cachedVocabulary,
  periodFigures: (latest) =>
    Effect.map(cachedPeriodFigures(latest), (figures) =>
      figures({ from: "2026-05-01", to: "2026-05-31" }),
    ),
  past: (latest) => Effect.map(pastSites({ latest } as Site), (past) => past("2020-01-01")),
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
