// One scheduler per data directory: a second one waits until the first is gone, then takes over.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { makePrivateDirectory } from "../../load/database.ts"
import { databaseError, WarehouseLocked } from "../../load/errors.ts"
import { acquireLock } from "../../load/LockFile.ts"

/**
 * Holds the lock until the scope closes. If another scheduler has it, calls `onWait` once and waits; without `onWait`,
 * fails with `WarehouseLocked`.
 */
export const schedulerLock = (dataDir: string, onWait?: (text: string) => void) => {
  let isWaiting = false
  const attempt = Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.tryPromise({
      try: () => {
        makePrivateDirectory(dataDir)
        return acquireLock(dataDir, new Date(now).toISOString(), "scheduler")
      },
      catch: (cause) =>
        cause instanceof WarehouseLocked
          ? cause
          : databaseError(`The data directory ${dataDir} can't be used`, cause),
    }),
  )
  return Effect.acquireRelease(
    attempt.pipe(
      Effect.tapError((error) =>
        Effect.sync(() => {
          if (error._tag !== "WarehouseLocked" || isWaiting) return
          isWaiting = true
          const holder = error.holder
          const who =
            holder === undefined ? "another process" : `process ${holder.pid} on ${holder.host}`
          onWait?.(`${who} schedules runs for ${dataDir}; waiting until it is gone`)
        }),
      ),
      Effect.retry({
        while: (error) => error._tag === "WarehouseLocked" && onWait !== undefined,
        schedule: Schedule.spaced("1 second"),
      }),
    ),
    (lock) => Effect.sync(lock.release),
    { interruptible: true },
  )
}
