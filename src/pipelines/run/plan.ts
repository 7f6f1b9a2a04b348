// Plans what a run would do, from the stored state; sends nothing.
import { randomUUID } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { dayOf, microsFromMillis } from "../../domain/values/time.ts"
import { decodeRow, number, optional, text } from "../../load/duckdb/decodeRow.ts"
import { sqlFile } from "../../load/sql/sqlFile.ts"
import { Warehouse } from "../../load/Warehouse.ts"
import { pipelines as all } from "../pipelines.ts"
import { isSent, plannedTasks, storedState, storedVaults } from "./state.ts"
import type { AnyPipeline, RangeEnd, RunContext } from "../model/Pipeline.ts"
import { createMartViews } from "../publication/martViews.ts"
import { openWarehouse, type Place, placeOf, warehouseExists } from "../publication/warehouse.ts"
import { skipReason, type SyncOptions, withDependencies } from "./selection.ts"

export interface PlannedPipeline {
  readonly name: string
  readonly title: string
  readonly tasks: number
  readonly requests: number
  /** Why it would not be read. */
  readonly skipped?: string
  /** Ends of the given range that don't limit this history. */
  readonly notLimitedBy?: ReadonlyArray<RangeEnd>
}

export interface Plan {
  readonly pipelines: ReadonlyArray<PlannedPipeline>
  readonly requests: number
  /** By the pace of recent runs and the configured rate; `undefined` if neither is known. */
  readonly seconds: number | undefined
  /** No vault is known yet: the first run has to list them before the rest can be planned. */
  readonly vaultsUnknown: boolean
}

export type PlanOptions = Pick<
  SyncOptions,
  "pipelines" | "vaults" | "settings" | "unsupportedRetryDays" | "hasKey" | "paths"
> &
  Place & { readonly maxRequestsPerSecond?: number | undefined }

/** Creates no warehouse: if there is none, the plan is that of an empty one. */
export const plan = (options: PlanOptions) =>
  Effect.scoped(
    Effect.gen(function* () {
      const place = (yield* warehouseExists(options))
        ? placeOf(options)
        : { dataDir: yield* emptyFolder }
      const runId = `plan-${randomUUID()}`
      return yield* Effect.provide(planned(options), openWarehouse({ ...place, runId }))
    }),
  )

const emptyFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "vaulthouse-plan-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true })),
)

const planned = Effect.fnUntraced(function* (options: PlanOptions) {
  const warehouse = yield* Warehouse
  const now = microsFromMillis(yield* Clock.currentTimeMillis)
  const context: RunContext = { ...options.settings, now, today: dayOf(now) }
  if (context.fillGaps) yield* createMartViews
  const pipelines: Array<PlannedPipeline> = []
  const selected = withDependencies(all, options.pipelines)
  const stored = yield* storedState(warehouse, selected, context, options)
  for (const pipeline of selected) {
    const skipped = skipReason(pipeline.endpoint, options)
    const tasks =
      skipped === undefined
        ? yield* plannedTasks(warehouse, stored, pipeline, context, options)
        : []
    const sent = tasks.filter(isSent)
    pipelines.push({
      name: pipeline.name,
      title: pipeline.title,
      tasks: sent.length,
      requests: sent.reduce(
        (sum, { partition, state }) => sum + pipeline.expectedRequests(partition, state, context),
        0,
      ),
      ...(skipped === undefined ? {} : { skipped }),
      ...notLimitedBy(pipeline, context),
    })
  }
  const requests = pipelines.reduce((sum, each) => sum + each.requests, 0)
  return {
    pipelines,
    requests,
    seconds: yield* estimatedSeconds(warehouse, pipelines, options.maxRequestsPerSecond),
    vaultsUnknown: (yield* storedVaults(warehouse)).length === 0,
  } satisfies Plan
})

const notLimitedBy = ({ limitedBy }: AnyPipeline, context: RunContext) => {
  const ends = (["since", "until"] as const).filter(
    (end) => context[end] !== undefined && limitedBy?.includes(end) === false,
  )
  return ends.length === 0 ? {} : { notLimitedBy: ends }
}

const paceOf = decodeRow({
  pipeline: text("pipeline"),
  seconds: optional(number)("seconds"),
  requests: number("requests"),
})

/** From the time that a request of each pipeline took in recent runs, and never faster than the configured rate. */
const estimatedSeconds = Effect.fnUntraced(function* (
  warehouse: Warehouse["Service"],
  pipelines: ReadonlyArray<PlannedPipeline>,
  maxRequestsPerSecond: number | undefined,
) {
  const spent = (yield* warehouse.rows(sqlFile("runs", "pace"))).map(paceOf)
  const requests = pipelines.reduce((sum, each) => sum + each.requests, 0)
  const minimum = maxRequestsPerSecond === undefined ? 0 : requests / maxRequestsPerSecond
  if (spent.length === 0) return minimum > 0 ? Math.ceil(minimum) : undefined
  const secondsPerRequest = (rows: typeof spent): number =>
    rows.reduce((sum, { seconds }) => sum + (seconds ?? 0), 0) /
    rows.reduce((sum, each) => sum + each.requests, 0)
  const average = secondsPerRequest(spent)
  const seconds = pipelines.reduce((sum, { name, requests: sent }) => {
    const own = spent.filter(({ pipeline }) => pipeline === name)
    return sum + sent * (own.length === 0 ? average : secondsPerRequest(own))
  }, 0)
  return Math.ceil(Math.max(seconds, minimum))
})
