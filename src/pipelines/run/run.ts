// A whole run with everything it needs: opens the warehouse, extracts, loads, publishes, closes.
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Retry } from "../../domain/retry.ts"
import { formatInstant, microsFromMillis } from "../../domain/time.ts"
import { ApiClient, type ApiSettings } from "../../extract/ApiClient.ts"
import { httpLayer } from "../../extract/http.ts"
import type { PaceOptions } from "../../extract/Pace.ts"
import { RequestBudget } from "../../extract/RequestBudget.ts"
import { ResponseArchive } from "../../extract/ResponseArchive.ts"
import { Warehouse } from "../../load/Warehouse.ts"
import { coreTables } from "../../transform/tables/index.ts"
import { checkTouched } from "../readers/check.ts"
import { writeLastRun } from "./lastRun.ts"
import { lastBodies } from "./memory.ts"
import { type PublishOptions, publishNews } from "../readers/publish.ts"
import type { RunSummary } from "./progress.ts"
import type { SyncOptions } from "./selection.ts"
import { sync } from "./sync.ts"

export interface RunOptions extends Omit<SyncOptions, "runId" | "hasKey" | "paths"> {
  readonly dataDir: string
  readonly api: ApiSettings
  readonly pace: PaceOptions
  readonly memoryLimit?: string
  /** How long to wait for another run to let go of the warehouse; absent: not at all. */
  readonly wait?: Duration.Input
  /** As typed, for ops.runs. */
  readonly command: string
  readonly version: string
  /** `undefined`: leave the readers' copies as they are. */
  readonly publish: PublishOptions | undefined
}

/** Sorts by start; the suffix keeps two starts of one second apart. */
export const newRunId = Effect.map(Clock.currentTimeMillis, (now) => {
  const start = formatInstant(microsFromMillis(now)).slice(0, 19).replace(/[-:]/g, "")
  return `${start}Z-${randomBytes(3).toString("hex")}`
})

export const run = Effect.fnUntraced(function* (options: RunOptions) {
  const runId = yield* newRunId
  const archive = Effect.gen(function* () {
    const warehouse = yield* Warehouse
    return ResponseArchive.layer({
      directory: join(options.dataDir, "raw"),
      runId,
      notBefore: warehouse.openedAt,
      known: yield* lastBodies(warehouse),
    })
  })
  const onRetry = (retry: Retry): void => options.onProgress({ kind: "retry", ...retry })
  const extract = ApiClient.layer({ ...options.api, onRetry }).pipe(
    Layer.provideMerge(Layer.unwrap(archive)),
    Layer.provide(RequestBudget.layer(options.pace)),
    Layer.provide(httpLayer),
  )
  const load = Warehouse.layer({
    dataDir: options.dataDir,
    tables: coreTables,
    runId,
    ...(options.memoryLimit === undefined ? {} : { memoryLimit: options.memoryLimit }),
    ...(options.wait === undefined ? {} : { wait: options.wait }),
  })
  return yield* recordedRun({
    ...options,
    runId,
    hasKey: options.api.apiKey !== undefined,
    paths: options.api.wire.paths,
  }).pipe(Effect.provide(Layer.provideMerge(extract, load)))
})

/** The run between its record's start and end; a run that was killed keeps a record without an end. */
const recordedRun = Effect.fnUntraced(function* (
  options: RunOptions & Pick<SyncOptions, "runId" | "hasKey" | "paths">,
) {
  const warehouse = yield* Warehouse
  yield* warehouse.startRun({
    command: options.command,
    baseUrl: options.api.baseUrl,
    version: options.version,
  })
  const summary: RunSummary = yield* syncAndCheck(options).pipe(
    Effect.tapError(() => warehouse.finishRun("failed")),
  )
  yield* warehouse.finishRun(summary.outcome)
  const finishedAt = formatInstant(microsFromMillis(yield* Clock.currentTimeMillis))
  yield* writeLastRun(options.dataDir, summary, finishedAt)
  if (options.publish === undefined) return summary
  const published = yield* publishNews(options.publish, options.onProgress)
  return { ...summary, published }
})

const syncAndCheck = Effect.fnUntraced(function* (options: SyncOptions) {
  const summary = yield* sync(options)
  const failedChecks = (yield* checkTouched(options.runId)).filter(
    ({ outcome }) => outcome === "failed",
  )
  return { ...summary, failedChecks }
})
