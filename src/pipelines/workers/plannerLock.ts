// One planner at a time for all machines: a lock of the lake's PostgreSQL, which ends with the process that holds it.
import { hostname } from "node:os"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { WarehouseLocked } from "../../load/errors.ts"
import { unfinishedRun } from "../../load/work/runs.ts"
import { WorkDatabase, type WorkRows } from "../../load/work/WorkDatabase.ts"

/** The name of this process as the planner of a run. */
export const thisPlanner = (): string => `${process.pid}@${hostname()}`

export interface LockOptions {
  /** How long to wait for another planner; absent: not at all. */
  readonly wait?: Duration.Input
  /** Called once, when the wait begins. */
  readonly onWait: (locked: WarehouseLocked) => void
}

/** Holds the lock for as long as the session lasts. */
export const plannerLock = Effect.fnUntraced(function* (
  session: WorkRows,
  { wait, onWait }: LockOptions,
) {
  const { shown } = yield* WorkDatabase
  const take = Effect.gen(function* () {
    const [taken] = yield* session("take_planner_lock")
    if (taken?.["is_held"] === true) return
    const run = yield* unfinishedRun()
    const [pid, ...host] = run?.planner.split("@") ?? []
    return yield* new WarehouseLocked({
      file: shown,
      holder:
        run === undefined
          ? undefined
          : { pid: Number(pid), host: host.join("@"), since: run.openedAt.toISOString() },
    })
  })
  let isFirst = true
  const waiting = take.pipe(
    Effect.tapError((error) =>
      Effect.sync(() => {
        if (isFirst && error._tag === "WarehouseLocked") onWait(error)
        isFirst = false
      }),
    ),
    Effect.retry({
      while: (error) => error._tag === "WarehouseLocked",
      schedule: Schedule.upTo(Schedule.spaced("500 millis"), { duration: wait ?? 0 }),
    }),
  )
  yield* wait === undefined ? take : waiting
})
