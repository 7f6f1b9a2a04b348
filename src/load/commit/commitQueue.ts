// The queue of batches to commit: those that arrive shortly after each other share a transaction.
import { setTimeout } from "node:timers/promises"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type { Batch, Committed } from "../../domain/run/outcome.ts"
import { countRows } from "../../domain/run/metrics.ts"
import type { CommittedGroup } from "./commitGroup.ts"
import { LoadError } from "../errors.ts"

// Enough for a group to be worth its transaction. DuckDB compresses full row groups of 122,880 rows while they are
// appended, which would hold up everything else.
const GROUP_BATCHES = 256
const GROUP_ROWS = 120_000

// How long to wait for more batches: a transaction costs as much as the rows of 50 small pages.
const PAUSE_MILLIS = 10

/** Whether the process was busy for most of a pause: more pages are then about to come. */
const isBusyPause = Effect.promise(async () => {
  const before = performance.eventLoopUtilization()
  await setTimeout(PAUSE_MILLIS)
  return performance.eventLoopUtilization(before).utilization > 0.5
})

/** A batch in the queue: what it changed once it is committed, or why nothing of it was kept. */
export type Queued = Deferred.Deferred<Committed, LoadError>

interface Waiting {
  readonly batch: Batch
  readonly done: Queued
  /** The batch that it follows, and without which it must not be committed. */
  readonly after: Queued | undefined
}

const closed = new LoadError({
  reason: "Closed",
  what: "Committing rows",
  why: "the warehouse was closed first",
  advice: "Nothing from this batch was kept; the next run does it again.",
})

const notTried = new LoadError({
  reason: "NotTried",
  what: "Committing rows",
  why: "the batch before it was not committed",
  advice: "Nothing from this batch was kept; the next run does it again.",
})

/** A full disk, or a catalog that can't be reached, is no fault of a batch, and fails the next one too. */
const concernsAll = ({ reason }: LoadError): boolean => reason === "Files" || reason === "Catalog"

/** Commits the batches that `take` returns once nothing else writes, which may be fewer than wait. */
type CommitTogether = (take: () => ReadonlyArray<Batch>) => Effect.Effect<CommittedGroup, LoadError>

/**
 * Commits a batch together with others that wait, including those that arrived while another process wrote, in the order in
 * which they were queued. One that follows another fails if that one did. One fiber commits, until the scope ends.
 */
export const commitQueue = Effect.fnUntraced(function* (
  commitTogether: CommitTogether,
  check: (batch: Batch) => LoadError | undefined,
  longestWaitMillis: number,
) {
  const queue = yield* Queue.bounded<Waiting>(2 * GROUP_BATCHES)
  const waiting: Array<Waiting> = []
  const failed = new WeakSet<Queued>()

  const fail = (done: Queued, error: LoadError): void => {
    failed.add(done)
    Deferred.doneUnsafe(done, Effect.fail(error))
  }
  /** Whether the batch that it follows has not failed; otherwise it fails, too. */
  const mayFollow = ({ done, after }: Waiting): boolean => {
    if (after === undefined || !failed.has(after)) return true
    fail(done, notTried)
    return false
  }

  const commitAll = Effect.fnUntraced(function* (take: () => ReadonlyArray<Waiting>) {
    let taken: ReadonlyArray<Waiting> | undefined
    const takeOnce = () => (taken ??= take().filter(mayFollow))
    const result = yield* Effect.result(commitTogether(() => takeOnce().map(({ batch }) => batch)))
    const group = takeOnce()
    if (result._tag === "Success") {
      const { batches, tables: changed } = result.success
      for (const [at, { done }] of group.entries()) {
        const counts = batches[at]
        if (counts !== undefined) yield* Deferred.succeed(done, counts)
      }
      for (const [table, { inserted, revised }] of changed) {
        yield* countRows({ table, change: "inserted" }, inserted)
        yield* countRows({ table, change: "revised" }, revised)
      }
    } else if (group.length === 1 || concernsAll(result.failure)) {
      for (const { done } of group) fail(done, result.failure)
    } else {
      // One batch caused the failure: commits each alone, so that only that one fails.
      for (const queued of group) if (mayFollow(queued)) yield* commitAlone(queued)
    }
  })
  const commitAlone = (queued: Waiting): Effect.Effect<void> => commitAll(() => [queued])

  /** Adds batches that arrive shortly afterwards, until a pause shows that no more are coming. */
  const gather = Effect.gen(function* () {
    const until = performance.now() + longestWaitMillis
    while (isWorthWaiting(waiting) && performance.now() < until) {
      const isBusy = yield* isBusyPause
      const more = yield* Queue.clear(queue)
      if (more.length === 0 && !isBusy) break
      waiting.push(...more)
    }
  })

  const takeGroup = (): ReadonlyArray<Waiting> => {
    waiting.push(...Effect.runSync(Queue.clear(queue)))
    return waiting.splice(0, groupSize(waiting))
  }

  const writeForever = Effect.forever(
    Effect.gen(function* () {
      if (waiting.length === 0) waiting.push(...(yield* Queue.takeBetween(queue, 1, GROUP_BATCHES)))
      yield* Effect.uninterruptible(Effect.andThen(gather, commitAll(takeGroup)))
    }),
  )
  yield* Effect.forkScoped(writeForever)

  // Commits that still wait fail; the writer ends before the file is closed.
  yield* Effect.addFinalizer(() =>
    Effect.gen(function* () {
      waiting.push(...(yield* Queue.clear(queue)))
      for (const { done } of waiting.splice(0)) yield* Deferred.fail(done, closed)
      yield* Queue.shutdown(queue)
    }),
  )

  return Effect.fnUntraced(function* (batch: Batch, after?: Queued) {
    const done = yield* Deferred.make<Committed, LoadError>()
    const refusal = check(batch)
    if (refusal === undefined) yield* Queue.offer(queue, { batch, done, after })
    else fail(done, refusal)
    return done
  })
})

const sizeOf = ({ batch }: Waiting): number =>
  batch.rows.reduce((sum, { length }) => sum + length, 0)

const isWorthWaiting = (taken: ReadonlyArray<Waiting>): boolean =>
  taken.length < GROUP_BATCHES &&
  taken.reduce((sum, each) => sum + sizeOf(each), 0) < GROUP_ROWS / 3

/** How many of the batches make a group: at most `GROUP_ROWS` rows, or a single batch that is larger. */
const groupSize = (queued: ReadonlyArray<Waiting>): number => {
  let rows = 0
  const end = queued.findIndex((each, at) => {
    rows += sizeOf(each)
    return at > 0 && rows > GROUP_ROWS
  })
  return end < 0 ? queued.length : end
}
