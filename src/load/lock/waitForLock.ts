// The locks of a data directory: takes one that another process may hold, waits for it if that is wanted, says who holds it.
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { makeFolder } from "../../domain/flush.ts"
import { databaseError, type LoadError, WarehouseLocked } from "../errors.ts"
import { acquireLock, lastHeartbeat, lockHolder, type LockName } from "./LockFile.ts"

export interface LockWait {
  /** How long to wait for another process to release the lock; by default not at all. */
  readonly wait?: Duration.Input
  /** Called once, when the wait begins. */
  readonly onWait?: (locked: WarehouseLocked) => void
}

/** Takes it again and again while another process has it, for as long as the options say. */
export const waitForLock = <A, E, R>(
  take: Effect.Effect<A, E | WarehouseLocked, R>,
  { wait, onWait }: LockWait,
): Effect.Effect<A, E | WarehouseLocked, R> => {
  if (wait === undefined) return take
  let isFirst = true
  const reported = Effect.tapError(take, (error) =>
    Effect.sync(() => {
      if (isFirst && error instanceof WarehouseLocked) onWait?.(error)
      isFirst = false
    }),
  )
  return Effect.retry(reported, {
    while: (error) => error instanceof WarehouseLocked,
    schedule: Schedule.upTo(Schedule.spaced("500 millis"), { duration: wait }),
  })
}

export const lockedOr =
  (what: string) =>
  (cause: unknown): LoadError | WarehouseLocked =>
    cause instanceof WarehouseLocked ? cause : databaseError(what, cause)

/** Holds a lock of the data directory until the scope closes. */
export const lockOf = (dataDir: string, name: LockName, waiting: LockWait) => {
  const take = Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.tryPromise({
      try: async () => {
        await makeFolder(dataDir)
        return acquireLock(dataDir, new Date(now).toISOString(), name)
      },
      catch: lockedOr(`The data directory ${dataDir} can't be used`),
    }),
  )
  return waitForLock(
    Effect.acquireRelease(take, (lock) => Effect.sync(lock.release)),
    waiting,
  )
}

/**
 * Who holds the writer's lock of the data directory now, and when the last process that took it was last known to be alive, if
 * it did not release it.
 */
export const writerOf = (dataDir: string) =>
  Effect.promise(async () => ({
    holder: await lockHolder(dataDir),
    aliveAt: lastHeartbeat(dataDir),
  }))
