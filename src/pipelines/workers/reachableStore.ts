// Work that fails because object storage can't be reached begins again once it can, like work whose PostgreSQL was lost
// (connected.ts): a worker that ended instead would give its tasks to workers that end in turn.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { ObjectStore } from "../../archive/ObjectStore.ts"
import { isInObjectStore, type ObjectStoreAccess } from "../../domain/stores/objectStore.ts"
import { PATIENCE, PATIENCE_MINUTES, PAUSE_MILLIS } from "./connected.ts"

export interface ReachableStoreOptions {
  /** Folders or `s3://bucket/prefix`; `undefined` where there is none. */
  readonly locations: ReadonlyArray<string | undefined>
  readonly access: () => ObjectStoreAccess
  /** Called when the store can't be reached, and when it can again. */
  readonly onConnection: (text: string) => void
}

/** Runs `work`, and runs it again if it failed while a store could not be reached. Fails if that lasts ten minutes. */
export const withReachableStore = Effect.fnUntraced(function* <A, E, R>(
  { locations, access, onConnection }: ReachableStoreOptions,
  work: Effect.Effect<A, E, R>,
) {
  const stores = [...new Set(locations)].flatMap((location) =>
    location !== undefined && isInObjectStore(location) ? [new ObjectStore(location, access)] : [],
  )
  const unreachable = Effect.promise(async () => {
    for (const store of stores) if (!(await store.isReachable())) return store.location
    return undefined
  })
  for (;;) {
    const found = yield* Effect.result(work)
    if (found._tag === "Success") return found.success
    const down = yield* unreachable
    if (down === undefined) return yield* Effect.fail(found.failure)
    onConnection(
      `waits for ${down}, which can't be reached. It goes on as soon as it can, and ends if that takes longer than ${PATIENCE_MINUTES} minutes`,
    )
    const lostAt = yield* Clock.currentTimeMillis
    while ((yield* unreachable) !== undefined) {
      if ((yield* Clock.currentTimeMillis) > lostAt + PATIENCE) {
        return yield* Effect.fail(found.failure)
      }
      yield* Effect.sleep(PAUSE_MILLIS)
    }
    onConnection(`can reach ${down} again`)
  }
})
