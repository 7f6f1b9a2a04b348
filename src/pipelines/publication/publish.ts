// Publishes the warehouse for readers: marts, Parquet, the published copy, and PostgreSQL where it is set.
import * as Effect from "effect/Effect"
import { annotateSpan, spanned } from "../../domain/run/span.ts"
import { commandId } from "../../domain/run/commandId.ts"
import {
  changedSincePublication,
  publish,
  type PublishOptions as CopyOptions,
} from "../../load/published/publish.ts"
import { existingWarehouse, type Place, placeOf } from "./warehouse.ts"
import { recordHealth } from "./health.ts"
import { createMartViews } from "./martViews.ts"
import { type PostgresOptions, publishPostgres } from "./postgres.ts"
import type { OnProgress } from "../model/progress.ts"

export type PublishOptions = CopyOptions & PostgresOptions

/** Whether readers would find anything new. */
const hasNews = Effect.fnUntraced(function* (options: PublishOptions) {
  // First, since marts that are defined differently are news.
  yield* createMartViews
  return yield* changedSincePublication(options)
})

/**
 * The options for a command that moves bodies of the archive, before it does: nothing, where readers lack other news too. It may be
 * held back by a check, or by `--no-publish`, and is not for such a command to publish.
 */
export const publishMoves = Effect.fnUntraced(function* (options: PublishOptions | undefined) {
  return options === undefined || (yield* hasNews(options)) ? undefined : options
})

/**
 * Publishes if readers would find anything new, and returns whether it did. A run without news leaves the copies
 * alone, so that its cost does not grow with the history.
 */
const publishNews = Effect.fnUntraced(function* (options: PublishOptions, onProgress: OnProgress) {
  if (!(yield* hasNews(options))) return false
  onProgress({ kind: "stage", stage: "publishing" })
  yield* publish(options)
  return true
})

export interface Published {
  /** Whether there was news, which readers of the published copy have now. */
  readonly published: boolean
  /** Why PostgreSQL does not hold what is published. */
  readonly failedPublication?: string
}

/**
 * Publishes news, to PostgreSQL too; a failure there is reported, and the next run makes up for it. Without options it
 * publishes nothing.
 */
export const publishNewsEverywhere = Effect.fnUntraced(function* (
  options: PublishOptions | undefined,
  onProgress: OnProgress = () => undefined,
) {
  if (options === undefined) return { published: false } satisfies Published
  const published = yield* publishNews(options, onProgress).pipe(
    Effect.tap((isPublished) => annotateSpan({ published: isPublished })),
    spanned("publish"),
  )
  const failedPublication = yield* publishPostgres(options, { onProgress }).pipe(
    Effect.as(undefined),
    // The run goes on: the rows have landed, and the published copy has them.
    Effect.catchTag("PostgresError", ({ message }) => Effect.succeed(message)),
    spanned("publish_postgres"),
  )
  return {
    published,
    ...(failedPublication === undefined ? {} : { failedPublication }),
  } satisfies Published
})

/** Publishes whether or not there is news; `rebuildAll` makes every stored mart and Parquet file again. */
export const publishAnyway = Effect.fnUntraced(function* (
  options: PublishOptions & Place & { readonly rebuildAll: boolean },
) {
  const runId = yield* commandId("publish")
  return yield* Effect.gen(function* () {
    yield* recordHealth
    yield* createMartViews
    const published = yield* publish(options)
    const postgres = yield* publishPostgres(options, { anyway: true })
    return { ...published, ...(postgres === undefined ? {} : { postgres }) }
  }).pipe(
    Effect.provide(existingWarehouse("Publishing the warehouse", { ...placeOf(options), runId })),
  )
})
