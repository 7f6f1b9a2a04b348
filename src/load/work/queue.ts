// The queue of a shared run's tasks: Effect's PersistedQueue, which hands each task to one worker, and to another one
// if the first is silent for longer than the lease.
import { hash } from "node:crypto"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PersistedQueue from "effect/persistence/PersistedQueue"
import * as References from "effect/References"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import type * as SqlClient from "effect/sql/SqlClient"
import type { LoadError } from "../errors.ts"
import { catalogError, withoutDefects } from "../storage/lake/catalogError.ts"
import type { TaskName } from "../../domain/run/claim.ts"
import { QUEUE } from "./migrateWork.ts"
import { WorkDatabase } from "./WorkDatabase.ts"

// How often a worker without tasks looks for new ones.
const POLL_MILLIS = 50

// Leases are renewed this often, so that a slow worker keeps its tasks.
const RENEWALS_PER_LEASE = 4

/**
 * While PostgreSQL can't be reached, the queue would log a warning with a stack trace several times a second; its
 * callers fail for the same reason, and report it.
 */
const quietly = Effect.provideService(References.MinimumLogLevel, "Error")

export const queueLayer = (
  leaseSeconds: number,
): Layer.Layer<
  PersistedQueue.PersistedQueueFactory,
  LoadError,
  WorkDatabase | SqlClient.SqlClient
> =>
  Layer.unwrap(
    Effect.map(WorkDatabase, ({ shown }) =>
      PersistedQueue.layer.pipe(
        Layer.provide(
          Layer.effect(
            PersistedQueue.PersistedQueueStore,
            PersistedQueue.makeStoreSql({
              tableName: QUEUE,
              pollInterval: POLL_MILLIS,
              lockExpiration: leaseSeconds * 1000,
              lockRefreshInterval: (leaseSeconds * 1000) / RENEWALS_PER_LEASE,
            }).pipe(
              withoutDefects,
              Effect.mapError((cause) => catalogError(shown, cause)),
              quietly,
            ),
          ),
        ),
      ),
    ),
  )

const Element = Schema.Struct({ pipeline: Schema.String, entity: Schema.String })

// A returned task is tried again as long as its run lasts; the worker limits the attempts.
const ALWAYS = 2 ** 31 - 1

// Tasks offered in one transaction: PostgreSQL waits for its disk once for all of them, and workers wait for no more.
const CHUNK = 1000

export const taskQueue = Effect.fnUntraced(function* (runId: string) {
  const { shown, transaction } = yield* WorkDatabase
  const queue = yield* PersistedQueue.make({
    name: runId,
    schema: Element,
    maxAttempts: ALWAYS,
    retrySchedule: Schedule.spaced("5 seconds"),
  })
  const failed = (cause: unknown) => catalogError(shown, cause)
  const logLevel = yield* References.MinimumLogLevel
  return {
    /** Offers the tasks in order; ignores those that have been offered before. */
    offer: (tasks: ReadonlyArray<TaskName>) =>
      Effect.forEach(
        Arr.chunksOf(tasks, CHUNK),
        (some) =>
          transaction(
            Effect.forEach(
              some,
              (task) =>
                // An id has 255 characters at most, which a name may exceed.
                queue.offer(task, { id: hash("sha256", `${task.pipeline}/${task.entity}`) }),
              { discard: true },
            ),
          ),
        { discard: true },
      ).pipe(Effect.mapError(failed)),
    /**
     * Waits for a task; `attempts` counts those that failed or whose worker ended. The task is done once `work`
     * succeeds.
     */
    take: <E, R>(work: (task: TaskName, attempts: number) => Effect.Effect<void, E, R>) =>
      queue
        .take((task, { attempts }) =>
          Effect.provideService(work(task, attempts), References.MinimumLogLevel, logLevel),
        )
        .pipe(
          Effect.catchTag("PersistedQueueError", (cause) => Effect.fail(failed(cause))),
          quietly,
        ),
  }
})
