// The newest published copy, for a process that outlives publications: opens each new copy, and closes the previous one when
// its last query has ended.
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as RcMap from "effect/RcMap"
import * as Schedule from "effect/Schedule"
import * as ScopedRef from "effect/ScopedRef"
import {
  isPublished,
  nothingPublished,
  openCopies,
  type PublishedCopy,
  publishedDirectory,
  ReadError,
} from "../../load/published/read/PublishedCopy.ts"
import { readCurrent } from "../../load/published/publishedFiles.ts"

export interface Publication {
  readonly runId: string
  /** ISO-8601 UTC. */
  readonly publishedAt: string
  /** Its immutable file, in the folder of the published copies. */
  readonly file: string
}

export interface LatestCopy {
  readonly publication: Effect.Effect<Publication>
  /** Runs `use` on the newest copy, with a reader of its own; waits while all readers are in use. */
  readonly read: <A, E>(
    use: (copy: PublishedCopy, publication: Publication) => Effect.Effect<A, E>,
  ) => Effect.Effect<A, E | ReadError>
}

export interface LatestCopyOptions {
  readonly dataDir: string
  readonly memoryLimit: string
  /** How many queries may run at once; others wait. */
  readonly readers: number
  /** The only folder that a query may write to. */
  readonly exportFolder: string
}

const CHECK_SECONDS = 1

/** Open until the scope ends. Fails if nothing is published, or this user may not read it. */
export const followPublished = Effect.fnUntraced(function* (options: LatestCopyOptions) {
  const { dataDir } = options
  if (!(yield* isPublished(dataDir))) return yield* nothingPublished(dataDir)
  const opened = yield* RcMap.make({
    lookup: (file: string) =>
      Effect.gen(function* () {
        const readers = yield* Queue.unbounded<PublishedCopy>()
        yield* Queue.offerAll(
          readers,
          yield* openCopies(join(publishedDirectory(dataDir), file), options),
        )
        return readers
      }),
  })
  const hold = (publication: Publication) =>
    Effect.as(RcMap.get(opened, publication.file), publication)
  const first = yield* newest(dataDir)
  if (first === undefined) {
    return yield* new ReadError({
      why: `${publishedDirectory(dataDir)}/current.json is missing or can't be read.`,
      advice: "Run `vaulthouse publish --all`: it publishes the warehouse again.",
    })
  }
  const held = yield* ScopedRef.fromAcquire(hold(first))
  const update = Effect.gen(function* () {
    const found = yield* newest(dataDir)
    const before = yield* ScopedRef.get(held)
    if (found !== undefined && found.file !== before.file) yield* ScopedRef.set(held, hold(found))
  }).pipe(Effect.catch((error: ReadError) => Effect.logWarning(`serve: ${error.message}`)))
  yield* update.pipe(Effect.repeat(Schedule.spaced(CHECK_SECONDS * 1000)), Effect.forkScoped)
  const read: LatestCopy["read"] = (use) =>
    Effect.gen(function* () {
      const publication = yield* ScopedRef.get(held)
      const readers = yield* RcMap.get(opened, publication.file)
      return yield* Effect.acquireUseRelease(
        Queue.take(readers),
        (copy) => use(copy, publication),
        (copy) => Queue.offer(readers, copy),
      )
    }).pipe(Effect.scoped)
  return { publication: ScopedRef.get(held), read } satisfies LatestCopy
})

const newest = (dataDir: string): Effect.Effect<Publication | undefined> =>
  Effect.promise(async () => {
    const current = await readCurrent(dataDir)
    return (
      current && {
        runId: current.run_id,
        publishedAt: current.published_at,
        file: current.file,
      }
    )
  })
