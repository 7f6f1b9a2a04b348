// The site of the web page at an instant of the past: its pages are made in the same way, of what was known then.
import * as Cache from "effect/Cache"
import * as Effect from "effect/Effect"
import type { LatestCopy, ReadLatest } from "../../pipelines/readers/latestCopy.ts"
import { ReadError } from "../../pipelines/readers/published.ts"
import { instantOf } from "../html/pastState.ts"
import { computedRead } from "../runQuery.ts"
import {
  cachedCompleteness,
  cachedOverview,
  cachedPeriodFigures,
  keptFor,
  type Site,
} from "../site.ts"
import { type AsOf, readAsOf, readerAsOf } from "./asOf.ts"

/** The site as of the instant in an address, `2026-06-01T18:00Z` or a day for its beginning; the present one without it. */
export type PastSites = (text: string | undefined) => Effect.Effect<Site, ReadError>

// Each holds the overview of one instant.
const MAX_INSTANTS = 4
const LIFETIME = "10 minutes"

export const pastSites = Effect.fnUntraced(function* (site: Site) {
  const sites = yield* Cache.makeWith((key: string) => siteAt(site, Number(key.split(" ")[1])), {
    capacity: MAX_INSTANTS,
    timeToLive: keptFor(LIFETIME),
  })
  return ((text = "") =>
    text.trim() === ""
      ? Effect.succeed(site)
      : Effect.gen(function* () {
          const micros = instantOf(text)
          if (micros === undefined) {
            return yield* new ReadError({
              why: `as-of=${text} is not an instant such as 2026-05-31T18:00Z, or a day for its beginning.`,
              advice: "Choose one at the top of the page.",
            })
          }
          const { file } = yield* site.latest.publication
          return yield* Cache.get(sites, `${file} ${micros}`)
        })) satisfies PastSites
})

const siteAt = Effect.fnUntraced(function* (site: Site, micros: number) {
  const asOf = yield* site.latest.read((copy) => readAsOf(copy, micros))
  const latest = latestAsOf(site, asOf)
  return {
    ...site,
    latest,
    overview: yield* cachedOverview(latest),
    completeness: yield* cachedCompleteness(latest),
    periodFigures: yield* cachedPeriodFigures(latest),
    asOf: micros,
  } satisfies Site
})

/** Marts of the past are computed, not stored: the readers for queries do that, so that no page of the present waits. */
const latestAsOf = ({ latest, limits }: Site, asOf: AsOf): LatestCopy => {
  const then =
    (now: ReadLatest): ReadLatest =>
    (use) =>
      now((reader, of) => use(readerAsOf(reader, asOf), of))
  return {
    publication: latest.publication,
    read: then(computedRead(latest, limits)),
    query: then(latest.query),
  }
}
