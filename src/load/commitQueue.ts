// Batches that are to be committed: those that come shortly after each other share a transaction.
import { setTimeout } from "node:timers/promises"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type { Batch, Committed } from "../domain/outcome.ts"
import { countRows } from "../domain/metrics.ts"
import type { CommittedGroup } from "./commitGroup.ts"
import { LoadError } from "./errors.ts"

// Enough for a group to be worth its transaction. DuckDB compresses full row groups of 122,880 rows while they are
// appended, which would hold up everything else.
const GROUP_BATCHES = 256
const GROUP_ROWS = 120_000

// A transaction costs as much as the rows of 50 small pages: those that come shortly after each other share one.
const PAUSE_MILLIS = 10
const LONGEST_WAIT_MILLIS = 100

/** Whether the process was busy for most of a pause: more pages are then about to come. */
const isBusyPause = Effect.promise(async () => {
  const before = performance.eventLoopUtilization()
  await setTimeout(PAUSE_MILLIS)
  return performance.eventLoopUtilization(before).utilization > 0.5
})

interface Queued {
  readonly batch: Batch
  readonly done: Deferred.Deferred<Committed, LoadError>
}

const closed = new LoadError({
  reason: "Closed",
  what: "Committing rows",
  why: "the warehouse was closed first",
  advice: "Nothing of this batch was kept; the next run does it again.",
})

/**
 * Commits a batch, together with others that wait; its own counts, or why nothing of it was kept. One fiber commits, until
 * the scope ends.
 */
export const commitQueue = Effect.fnUntraced(function* (
  commitTogether: (batches: ReadonlyArray<Batch>) => Effect.Effect<CommittedGroup, LoadError>,
) {
  const queue = yield* Queue.bounded<Queued>(2 * GROUP_BATCHES)

  const commitAll = Effect.fnUntraced(function* (group: ReadonlyArray<Queued>) {
    const committed = yield* Effect.result(commitTogether(group.map(({ batch }) => batch)))
    if (committed._tag === "Success") {
      const { batches, tables: changed } = committed.success
      for (const [at, { done }] of group.entries()) {
        const counts = batches[at]
        if (counts !== undefined) yield* Deferred.succeed(done, counts)
      }
      for (const [table, { inserted, revised }] of changed) {
        yield* countRows({ table, change: "inserted" }, inserted)
        yield* countRows({ table, change: "revised" }, revised)
      }
    } else if (group.length === 1 && group[0] !== undefined) {
      yield* Deferred.fail(group[0].done, committed.failure)
    } else {
      // One of them is bad: each alone, so that only that one fails.
      for (const queued of group) yield* commitAlone(queued)
    }
  })
  const commitAlone = (queued: Queued): Effect.Effect<void> => commitAll([queued])

  /** Adds what comes shortly afterwards, until a pause shows that no more is about to come. */
  const gathered = Effect.fnUntraced(function* (taken: Array<Queued>) {
    const until = performance.now() + LONGEST_WAIT_MILLIS
    while (isWorthWaiting(taken) && performance.now() < until) {
      const isBusy = yield* isBusyPause
      const more = yield* Queue.clear(queue)
      if (more.length === 0 && !isBusy) break
      taken.push(...more)
    }
    return groupsOf(taken)
  })

  const writeForever = Effect.forever(
    Effect.flatMap(Queue.takeBetween(queue, 1, GROUP_BATCHES), (taken) =>
      Effect.uninterruptible(
        Effect.flatMap(gathered(taken), Effect.forEach(commitAll, { discard: true })),
      ),
    ),
  )
  yield* Effect.forkScoped(writeForever)

  // Commits that still wait fail; the writer ends before the file is closed.
  yield* Effect.addFinalizer(() =>
    Effect.gen(function* () {
      const waiting = yield* Queue.clear(queue)
      for (const { done } of waiting) yield* Deferred.fail(done, closed)
      yield* Queue.shutdown(queue)
    }),
  )

  return Effect.fnUntraced(function* (batch: Batch) {
    const done = yield* Deferred.make<Committed, LoadError>()
    yield* Queue.offer(queue, { batch, done })
    return yield* Deferred.await(done)
  })
})

const sizeOf = ({ batch }: Queued): number =>
  batch.rows.reduce((sum, { length }) => sum + length, 0)

const isWorthWaiting = (taken: ReadonlyArray<Queued>): boolean =>
  taken.length < GROUP_BATCHES &&
  taken.reduce((sum, each) => sum + sizeOf(each), 0) < GROUP_ROWS / 3

/** Groups of at most `GROUP_ROWS` rows, or a single batch that is larger. */
const groupsOf = (queued: ReadonlyArray<Queued>): ReadonlyArray<ReadonlyArray<Queued>> => {
  const groups: Array<Array<Queued>> = []
  let rows = Number.POSITIVE_INFINITY
  for (const each of queued) {
    const size = sizeOf(each)
    const group = groups.at(-1)
    if (group === undefined || rows + size > GROUP_ROWS) {
      groups.push([each])
      rows = size
    } else {
      group.push(each)
      rows += size
    }
  }
  return groups
}
