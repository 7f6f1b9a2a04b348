// The database through which the processes of a lake coordinate: schema `vaulthouse_work` of the lake's PostgreSQL.
// Every statement is a file of warehouse/work.
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { PostgresTarget } from "../../domain/stores/postgresUrl.ts"
import type { LoadError } from "../errors.ts"
import { connectionOptions } from "../postgres/connect.ts"
import { sqlFile } from "../sql/sqlFile.ts"
import { catalogError, isOfClient, withoutDefects } from "../storage/lake/catalogError.ts"
import { migrateWork } from "./migrateWork.ts"

const WORK_SCHEMA = "vaulthouse_work"

export type WorkRow = Readonly<Record<string, unknown>>

export type WorkParameter = string | number | boolean | null | ReadonlyArray<string>

/** Runs `warehouse/work/<name>.sql`. */
export type WorkRows = (
  name: string,
  parameters?: ReadonlyArray<WorkParameter>,
) => Effect.Effect<ReadonlyArray<WorkRow>, LoadError>

export class WorkDatabase extends Context.Service<
  WorkDatabase,
  {
    readonly rows: WorkRows
    /** Several statements as one transaction. */
    readonly transaction: <A, E, R>(
      work: Effect.Effect<A, E, R>,
    ) => Effect.Effect<A, E | LoadError, R>
    /** A connection for as long as the scope is open, for locks that end with it. */
    readonly session: Effect.Effect<WorkRows, LoadError, Scope.Scope>
    /** Runs `listener` with what is notified on the channel until the scope closes, also after a lost connection. */
    readonly listen: (
      channel: string,
      listener: (payload: string) => void,
    ) => Effect.Effect<void, never, Scope.Scope>
    /** The server and database, as they may be shown. */
    readonly shown: string
  }
>()("vaulthouse/load/WorkDatabase") {
  /** Creates or migrates the schema; also provides Effect's own client, which its queue and migrator need. */
  static readonly layer = (
    target: PostgresTarget,
  ): Layer.Layer<WorkDatabase | SqlClient.SqlClient, LoadError> =>
    Layer.provideMerge(Layer.effect(WorkDatabase, make(target)), client(target))
}

const client = (target: PostgresTarget) =>
  PgClient.layerFrom(
    Effect.tryPromise(() => connectionOptions(target)).pipe(
      Effect.flatMap((options) =>
        PgClient.make({
          ...options,
          startupParameters: {
            ...options.startupParameters,
            search_path: WORK_SCHEMA,
            timezone: "UTC",
          },
          keepAlive: "30 seconds",
          multiplex: true,
          maxConnections: 4,
        }),
      ),
      Effect.mapError((cause) => catalogError(target.shown, cause)),
    ),
  )

const make = Effect.fnUntraced(function* ({ shown }: PostgresTarget) {
  const sql = yield* PgClient.PgClient
  const failed = <A, R>(work: Effect.Effect<A, SqlError, R>) =>
    Effect.mapError(work, (cause) => catalogError(shown, cause))
  yield* Effect.mapError(withoutDefects(migrateWork(shown)), (cause) => catalogError(shown, cause))
  return WorkDatabase.of({
    rows: (name, parameters = []) => failed(sql.unsafe<WorkRow>(sqlFile("work", name), parameters)),
    transaction: (work) =>
      withoutDefects(sql.withTransaction(work)).pipe(
        Effect.catchIf(isOfClient, (cause) => Effect.fail(catalogError(shown, cause))),
      ),
    session: Effect.gen(function* () {
      const connection = yield* failed(sql.reserve)
      return (name, parameters = []) =>
        failed(
          connection.execute(sqlFile("work", name), parameters, undefined) as Effect.Effect<
            ReadonlyArray<WorkRow>,
            SqlError
          >,
        )
    }),
    listen: (channel, listener) =>
      Effect.flatMap(sql.listen(channel), (notifications) =>
        Effect.forever(Effect.map(Queue.take(notifications), ({ payload }) => listener(payload))),
      ).pipe(
        Effect.scoped,
        Effect.retry(Schedule.spaced("1 second")),
        Effect.forkScoped,
        Effect.asVoid,
      ),
    shown,
  })
})
