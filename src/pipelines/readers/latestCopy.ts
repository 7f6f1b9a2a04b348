// The newest published copy, for a process that outlives publications: opens each new copy, and closes the previous one when
// its last query has ended.
import { join } from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as RcMap from "effect/RcMap"
import * as Schedule from "effect/Schedule"
import * as ScopedRef from "effect/ScopedRef"
import * as Semaphore from "effect/Semaphore"
import {
  isPublished,
  nothingPublished,
  publishedDirectory,
  ReadError,
} from "../../load/published/read/PublishedCopy.ts"
import { readCurrent } from "../../load/published/publishedFiles.ts"
import {
  makeReader,
  type Reader,
  type ReaderLimits,
} from "../../load/published/read/reader/readers.ts"

export interface Publication {
  readonly runId: string
  /** ISO-8601 UTC. */
  readonly publishedAt: string
  /** Its immutable file, in the folder of the published copies. */
  readonly file: string
}

/** Runs `use` on the newest copy, with a reader of its own; waits while all readers are in use. */
export type ReadLatest = <A, E>(
  use: (reader: Reader, publication: Publication) => Effect.Effect<A, E>,
) => Effect.Effect<A, E | ReadError>

export interface LatestCopy {
  readonly publication: Effect.Effect<Publication>
  /** For the SQL of pages, which takes milliseconds. */
  readonly read: ReadLatest
  /** For the SQL of strangers, which can take as long as it is allowed to: pages don't wait for it. */
  readonly query: ReadLatest
}

export interface LatestCopyOptions extends ReaderLimits {
  readonly dataDir: string
  /** How many readers there are for pages, and how many for queries; others wait. */
  readonly pageReaders: number
  readonly queryReaders: number
}

const CHECK_SECONDS = 1
// A copy that can't be opened is tried again, in case something was in the way.
const RETRY_MILLIS = 60_000

/** Open until the scope ends. Fails if nothing is published, or this user may not read it. */
export const followPublished = Effect.fnUntraced(function* (options: LatestCopyOptions) {
  const { dataDir, pageReaders, queryReaders } = options
  if (!(yield* isPublished(dataDir))) return yield* nothingPublished(dataDir)
  const readersOf = Effect.fnUntraced(function* (name: string, count: number, isNice: boolean) {
    const file = join(publishedDirectory(dataDir), name)
    const idle: Array<Reader> = []
    for (let made = 0; made < count; made++) {
      idle.push(yield* makeReader({ ...options, file, isNice }))
    }
    // The one that was used last, so that only readers which work at the same time have a process each.
    const take = Effect.sync(() => idle.pop() as Reader)
    const giveBack = (reader: Reader) => Effect.sync(() => void idle.push(reader))
    const turn = yield* Semaphore.make(count)
    return <A, E>(use: (reader: Reader) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.acquireUseRelease(take, use, giveBack).pipe(turn.withPermits(1))
  })
  const opened = yield* RcMap.make({
    lookup: (file: string) =>
      Effect.gen(function* () {
        const pages = yield* readersOf(file, pageReaders, false)
        const queries = yield* readersOf(file, queryReaders, true)
        yield* pages((reader) => reader.open)
        return { pages, queries }
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
  let failed: { readonly file: string; readonly at: number } | undefined
  const update = Effect.gen(function* () {
    const found = yield* newest(dataDir)
    const before = yield* ScopedRef.get(held)
    if (found === undefined || found.file === before.file) return
    const now = yield* Clock.currentTimeMillis
    const isKnown = failed?.file === found.file
    if (isKnown && now < (failed?.at ?? 0) + RETRY_MILLIS) return
    yield* ScopedRef.set(held, hold(found)).pipe(
      Effect.catch(
        Effect.fnUntraced(function* (error: ReadError) {
          failed = { file: found.file, at: yield* Clock.currentTimeMillis }
          if (!isKnown) yield* Effect.logWarning(`serve: ${error.message}`)
        }),
      ),
    )
  })
  yield* update.pipe(Effect.repeat(Schedule.spaced(CHECK_SECONDS * 1000)), Effect.forkScoped)
  const readWith =
    (kind: "pages" | "queries"): ReadLatest =>
    (use) => {
      const read = Effect.gen(function* () {
        const publication = yield* ScopedRef.get(held)
        const { [kind]: withReader } = yield* RcMap.get(opened, publication.file)
        return yield* withReader((reader) => use(reader, publication))
      }).pipe(Effect.scoped)
      // A publication may remove the one before it while some of its readers have not opened it yet.
      return Effect.catchIf(read, isGone, () => Effect.andThen(update, read))
    }
  return {
    publication: ScopedRef.get(held),
    read: readWith("pages"),
    query: readWith("queries"),
  } satisfies LatestCopy
})

const isGone = (error: unknown): error is ReadError =>
  error instanceof ReadError && error.isGone === true

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
