// Creates the schema `vaulthouse_work`, or brings it to this version; each migration is a file of warehouse/work.
import * as Effect from "effect/Effect"
import * as PersistedQueue from "effect/persistence/PersistedQueue"
import * as Migrator from "effect/sql/Migrator"
import * as SqlClient from "effect/sql/SqlClient"
import { sqlFile } from "../sql/sqlFile.ts"
import { catalogProblem } from "../storage/lake/catalogError.ts"

const migrations = ["0001_runs_and_claims", "0002_paces"]

const TABLE = "migrations"

/** Table of Effect's PersistedQueue. */
export const QUEUE = "queue"

/** One statement per call, as the extended protocol requires. */
const statementsOf = (name: string) =>
  sqlFile("work", name)
    .split(/;\s*$/m)
    .filter((statement) => statement.trim() !== "")

const migration = (name: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.forEach(statementsOf(name), (statement) => sql.unsafe(statement), { discard: true }),
  )

/**
 * Runs in one process at a time, because two that create the same table conflict. Fails if a newer version made the
 * schema.
 */
export const migrateWork = Effect.fnUntraced(function* (shown: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql.unsafe(sqlFile("work", "lock_schema"))
      yield* sql.unsafe("create schema if not exists vaulthouse_work")
      // The queue migrates its own table.
      yield* Effect.scoped(PersistedQueue.makeStoreSql({ tableName: QUEUE }))
      yield* Migrator.make({})({
        loader: Migrator.fromRecord(
          Object.fromEntries(migrations.map((name) => [name, migration(name)])),
        ),
        table: TABLE,
      })
    }),
  )
  const [last] = yield* sql.unsafe<{ readonly id: number }>(
    `select max(migration_id) as id from ${TABLE}`,
  )
  if ((last?.id ?? 0) > migrations.length) {
    return yield* catalogProblem(
      shown,
      "its schema vaulthouse_work was made by a newer version of vaulthouse",
      "Run the same version on every machine.",
    )
  }
})
