// The web server of a data directory: follows its publications and listens until the scope ends.
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import { followPublished } from "../pipelines/readers/latestCopy.ts"
import type { Access } from "./access.ts"
import { makeApp } from "./app.ts"
import { pastSites } from "./asOf/pastSites.ts"
import { loadAssets } from "./assets.ts"
import { listen } from "./listen.ts"
import { mcpOverHttp } from "./mcp/mcp.ts"
import type { Limits } from "./runQuery.ts"
import {
  cachedCompleteness,
  cachedOverview,
  cachedPeriodFigures,
  cachedVocabulary,
  type Site,
} from "./site.ts"

export interface ServeOptions {
  readonly dataDir: string
  readonly archive?: string | undefined
  readonly fields: Site["fields"]
  readonly memoryLimit: string
  readonly diskLimit: string
  readonly port: number
  readonly access: Access
  readonly limits: Limits
  readonly version: string
  /** The folder of the documentation. */
  readonly docs: string
}

// A page occupies a reader for a few milliseconds, a query for as long as it runs.
const PAGE_READERS = 2
const QUERY_READERS = 2

/** Starts the server and returns its URL. */
export const serve = Effect.fnUntraced(function* (options: ServeOptions) {
  const { dataDir, memoryLimit, diskLimit, access, limits, port } = options
  const latest = yield* followPublished({
    dataDir,
    memoryLimit,
    diskLimit,
    pageReaders: PAGE_READERS,
    queryReaders: QUERY_READERS,
  })
  // Handlers still running when the scope ends are interrupted before the copies are closed.
  const fork = yield* FiberSet.makeRuntime()
  const site: Site = {
    dataDir,
    archive: options.archive,
    fields: options.fields,
    latest,
    limits,
    assets: yield* Effect.promise(loadAssets),
    overview: yield* cachedOverview(latest),
    completeness: yield* cachedCompleteness(latest),
    periodFigures: yield* cachedPeriodFigures(latest),
    vocabulary: yield* cachedVocabulary(latest),
    access,
    run: (effect, until) => Effect.runPromise(Fiber.await(fork(effect, until))),
  }
  for (const read of [site.overview, site.completeness]) {
    yield* Effect.forkScoped(Effect.ignore(read))
  }
  const app = makeApp(site, {
    past: yield* pastSites(site),
    mcp: yield* mcpOverHttp(site, options),
  })
  return yield* listen(app, access.host, port)
})
