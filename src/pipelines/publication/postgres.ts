// Publishes the newest published copy to PostgreSQL if it is not there yet, so that the next run makes up for a failure,
// even if it finds nothing new. `postgres.json` has the last result, for readers and for the next run.
import { rm } from "node:fs/promises"
import { join } from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { fingerprint } from "../../domain/values/fingerprint.ts"
import { writeDurably } from "../../domain/durableFiles.ts"
import { readStateFile } from "../../domain/stateFile.ts"
import { parseInstant } from "../../domain/values/time.ts"
import { filesError, PostgresError } from "../../load/errors.ts"
import type { PostgresSchemas } from "../../load/published/postgres/publish.ts"
import { type PublishedKeep, readCurrent } from "../../load/published/publishedFiles.ts"
import { postgresTargetOf } from "../../config/secrets/secretUrl.ts"
import { instant } from "../../load/sql/sql.ts"
import { Warehouse } from "../../load/Warehouse.ts"
import type { OnProgress } from "../model/progress.ts"

export interface PostgresOptions {
  /** The database to publish to, if any. */
  readonly postgres?: PostgresSchemas & { readonly address: Redacted.Redacted<string> }
  /** Earlier publications to keep there; without it, they are removed. */
  readonly keep?: PublishedKeep
}

const PostgresState = Schema.Struct({
  /** Fingerprint of the database and the settings. */
  target: Schema.String,
  /** Run whose published copy it holds; null before the first publication. */
  run_id: Schema.NullOr(Schema.String),
  /** Why it does not hold the newest one. */
  error: Schema.NullOr(Schema.String),
  /** ISO instant since when publications have failed. */
  failing_since: Schema.NullOr(Schema.String),
})

export type PostgresState = typeof PostgresState.Type

const fileOf = (dataDir: string): string => join(dataDir, "postgres.json")

/** `undefined` if nothing was published to PostgreSQL, the setting was removed since, or the file is damaged. */
export const readPostgresState = (dataDir: string): Effect.Effect<PostgresState | undefined> =>
  readStateFile(
    fileOf(dataDir),
    Schema.decodeUnknownSync(PostgresState),
    "it is not known what PostgreSQL holds; the next run publishes there again",
  )

const record = (dataDir: string, state: PostgresState | undefined) =>
  Effect.tryPromise({
    try: () =>
      state === undefined
        ? rm(fileOf(dataDir), { force: true })
        : writeDurably(fileOf(dataDir), `${JSON.stringify(state)}\n`),
    catch: (cause) => filesError("Recording the publication to PostgreSQL", cause),
  })

/** For a data directory whose settings publish nothing: forgets what PostgreSQL holds, and why a publication there failed. */
export const forgetPostgres = (dataDir: string) => record(dataDir, undefined)

const targetOf = (address: Redacted.Redacted<string>) =>
  Effect.fromResult(postgresTargetOf(address)).pipe(
    Effect.mapError(
      (why) =>
        new PostgresError({
          target: "PostgreSQL",
          why: `publish.postgres: ${why}`,
          advice: "Set it where vaulthouse runs; the next run publishes what is missing.",
        }),
    ),
  )

/** Says in a sentence whether publishing there can work; changes nothing. */
export const examinePostgres = (address: Redacted.Redacted<string>) =>
  Effect.gen(function* () {
    const { examine } = yield* Effect.promise(
      () => import("../../load/published/postgres/publish.ts"),
    )
    return yield* examine(yield* targetOf(address))
  })

/**
 * Call it under the warehouse's lock. `undefined` if PostgreSQL already holds this publication or, where several data directories
 * publish a lake there, a later one; with `anyway`, this one is published again.
 */
export const publishPostgres = Effect.fnUntraced(function* (
  { postgres, keep }: PostgresOptions,
  { anyway = false, onProgress }: { readonly anyway?: boolean; readonly onProgress?: OnProgress },
) {
  const { dataDir, tables, rows } = yield* Warehouse
  if (postgres === undefined) {
    // A damaged one too.
    yield* record(dataDir, undefined)
    return undefined
  }
  const before = yield* readPostgresState(dataDir)
  const current = yield* Effect.promise(() => readCurrent(dataDir))
  if (current === undefined) return undefined
  // By the address, not the name of its variable, whose value may have changed.
  const database = Result.match(postgresTargetOf(postgres.address), {
    onSuccess: ({ shown }) => shown,
    onFailure: () => postgres.address.label,
  })
  const target = fingerprint(database, postgres.prefix, postgres.role)
  const isPublished =
    before?.target === target && before.run_id === current.run_id && before.error === null
  if (isPublished && !anyway) return undefined
  onProgress?.({ kind: "stage", stage: "publishing to PostgreSQL" })
  const published = yield* Effect.gen(function* () {
    // Loaded where it is used, so that other runs start faster.
    const { publishToPostgres } = yield* Effect.promise(
      () => import("../../load/published/postgres/publish.ts"),
    )
    return yield* publishToPostgres({
      ...postgres,
      target: yield* targetOf(postgres.address),
      keep: keep ?? { copies: 0, days: 0 },
      dataDir,
      current,
      // A later one that the warehouse does not know is of the time before it was restored, and is replaced.
      isLater: (runId) =>
        Effect.runPromise(
          rows(
            `select 1 from ops.publications
             where run_id = $1 and published_at > ${instant(parseInstant(current.published_at) ?? 0)}`,
            [runId],
          ),
        ).then(({ length }) => length > 0),
      tables,
    })
  }).pipe(
    Effect.tapError((error) =>
      Effect.gen(function* () {
        const now = new Date(yield* Clock.currentTimeMillis).toISOString()
        yield* record(dataDir, {
          target,
          run_id: before?.target === target ? before.run_id : null,
          error: error.problem,
          failing_since: before?.failing_since ?? now,
        })
      }),
    ),
  )
  yield* record(dataDir, { target, run_id: current.run_id, error: null, failing_since: null })
  return published
})
