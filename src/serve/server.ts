// The web server of a data directory: follows its publications and listens until the scope ends.
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Semaphore from "effect/Semaphore"
import { followPublished } from "../pipelines/readers/latestCopy.ts"
import type { Access } from "./access.ts"
import { makeApp } from "./app.ts"
import { loadAssets } from "./assets.ts"
import { listen } from "./listen.ts"
import type { Limits } from "./runQuery.ts"
import { cachedCatalog, cachedOverview } from "./site.ts"

export interface ServeOptions {
  readonly dataDir: string
  readonly archive?: string | undefined
  readonly memoryLimit: string
  readonly port: number
  readonly access: Access
  readonly limits: Limits
}

// A page occupies a reader for a few milliseconds, a query for as long as it runs.
const READERS = 4
const QUERIES = 2

/** Starts the server and returns its URL. */
export const serve = Effect.fnUntraced(function* (options: ServeOptions) {
  const { dataDir, memoryLimit, access, limits, port } = options
  const exportFolder = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "vaulthouse-serve-"))),
    (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true })),
  )
  const latest = yield* followPublished({ dataDir, memoryLimit, readers: READERS, exportFolder })
  // Handlers still running when the scope ends are interrupted before the copies are closed.
  const fork = yield* FiberSet.makeRuntime()
  const app = makeApp({
    dataDir,
    archive: options.archive,
    latest,
    limits,
    queryPermits: yield* Semaphore.make(QUERIES),
    exportFolder,
    assets: yield* Effect.promise(loadAssets),
    overview: yield* cachedOverview(latest),
    catalog: yield* cachedCatalog(latest),
    access,
    run: (effect, until) => Effect.runPromise(Fiber.await(fork(effect, until))),
  })
  return yield* listen(app, access.host, port)
})
