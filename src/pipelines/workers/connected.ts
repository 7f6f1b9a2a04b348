// The connection to PostgreSQL that planner and workers hold. Work that fails because the connection was lost begins
// again on a new one, from what was committed.
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type { PostgresTarget } from "../../domain/stores/postgresUrl.ts"
import { queueLayer } from "../../load/work/queue.ts"
import { unfinishedRun } from "./sharedRun.ts"
import { WorkDatabase, type WorkRows } from "../../load/work/WorkDatabase.ts"

// Between two attempts to connect.
export const PAUSE_MILLIS = 2000
export const PATIENCE_MINUTES = 10
export const PATIENCE = PATIENCE_MINUTES * 60_000
// A server that can be reached responds sooner than this, unless it is overloaded.
const ALIVE_MILLIS = 10_000

export interface ConnectionOptions {
  readonly catalog: PostgresTarget
  /** How long a worker may be silent before its tasks go to others. */
  readonly leaseSeconds: number
  /** Called each time the connection is lost, and each time it is restored. */
  readonly onConnection: (text: string) => void
}

export interface Connection {
  /** For locks that last as long as the connection, and for statements that must notice its loss. */
  readonly session: WorkRows
  /** Whether an earlier connection was lost. */
  readonly isReconnected: boolean
}

/** Whether the connection still works, so that a failure has another cause than its loss. */
export const isAlive = (session: WorkRows) =>
  unfinishedRun(session).pipe(
    Effect.as(true),
    Effect.catch(() => Effect.succeed(false)),
    Effect.timeoutOrElse({ duration: ALIVE_MILLIS, orElse: () => Effect.succeed(false) }),
  )

/**
 * Runs `work`, and runs it again if it failed because the connection was lost. Fails if there is no connection at the start,
 * or none for ten minutes.
 */
export const connected = Effect.fnUntraced(function* <A, E, R>(
  { catalog, leaseSeconds, onConnection }: ConnectionOptions,
  work: (connection: Connection) => Effect.Effect<A, E, R>,
) {
  let isReconnected = false
  let lostAt: number | undefined
  const layer = Layer.provideMerge(queueLayer(leaseSeconds), WorkDatabase.layer(catalog))

  const lose = Effect.fnUntraced(function* (why: string) {
    if (lostAt !== undefined) return
    lostAt = yield* Clock.currentTimeMillis
    onConnection(
      `waits for PostgreSQL ${catalog.shown}: ${why}. It reconnects as soon as it can, and ends if that takes longer than ${PATIENCE_MINUTES} minutes`,
    )
  })

  const once = Effect.gen(function* () {
    const services = yield* Layer.build(layer)
    return yield* Effect.gen(function* () {
      const rows = yield* (yield* WorkDatabase).session
      const session: WorkRows = (name, parameters) =>
        // Reported at once: work that fails next ends only after it has tried for a while to give its tasks back.
        Effect.tapError(rows(name, parameters), ({ why }) => lose(why))
      if (lostAt !== undefined) {
        onConnection(`is connected to PostgreSQL ${catalog.shown} again`)
        lostAt = undefined
      }
      const ended = yield* Effect.exit(work({ session, isReconnected }))
      isReconnected = true
      if (Exit.isFailure(ended) && !Cause.hasInterruptsOnly(ended.cause)) {
        if (!(yield* isAlive(session))) return yield* lose("it does not respond")
      }
      return ended
    }).pipe(Effect.provide(services))
  }).pipe(Effect.scoped)

  for (;;) {
    const found = yield* Effect.result(once)
    if (found._tag === "Success") {
      if (found.success !== undefined) return yield* found.success
    } else if (lostAt === undefined || (yield* Clock.currentTimeMillis) > lostAt + PATIENCE) {
      return yield* Effect.fail(found.failure)
    }
    yield* Effect.sleep(PAUSE_MILLIS)
  }
})
