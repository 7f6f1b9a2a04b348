// One planner at a time for all machines: a lock of the lake's PostgreSQL, which ends with the process that holds it.
import { hostname } from "node:os"
import * as Effect from "effect/Effect"
import { WarehouseLocked } from "../../load/errors.ts"
import { type LockWait, waitForLock } from "../../load/lock/waitForLock.ts"
import { unfinishedRun } from "./sharedRun.ts"
import { WorkDatabase, type WorkRows } from "../../load/work/WorkDatabase.ts"

/** The name of this process as the planner of a run. */
export const thisPlanner = (): string => `${process.pid}@${hostname()}`

/** Holds the lock for as long as the session lasts. */
export const plannerLock = Effect.fnUntraced(function* (session: WorkRows, waiting: LockWait) {
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
  yield* waitForLock(take, waiting)
})
