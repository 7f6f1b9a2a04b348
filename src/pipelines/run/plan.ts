// What a run would do, from what earlier runs left; sends nothing.
import { randomUUID } from "node:crypto"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { dayOf, microsFromMillis } from "../../domain/time.ts"
import { databaseFile } from "../../load/database.ts"
import { Warehouse } from "../../load/Warehouse.ts"
import { coreTables } from "../../transform/tables/index.ts"
import { pipelines as all } from "../catalog.ts"
import { askedBy, storedVaults } from "./memory.ts"
import type { RunContext } from "../Pipeline.ts"
import { createMartViews } from "../readers/publish.ts"
import { closedBy, type SyncOptions, withWhatTheyNeed } from "./selection.ts"

export interface PlannedPipeline {
  readonly name: string
  readonly title: string
  readonly tasks: number
  readonly requests: number
  /** Why it would not be read at all. */
  readonly skipped?: string
}

export interface Plan {
  readonly pipelines: ReadonlyArray<PlannedPipeline>
  readonly requests: number
  /** By the pace of the last run that sent some; `undefined` before there was one. */
  readonly seconds: number | undefined
  /** No vault is known yet: the first run lists them before it can tell more. */
  readonly vaultsUnknown: boolean
}

export type PlanOptions = Pick<
  SyncOptions,
  "pipelines" | "vaults" | "settings" | "unsupportedRetryDays" | "hasKey" | "paths"
> & { readonly dataDir: string }

/** Makes no warehouse: where there is none, the plan is that of an empty one. */
export const plan = (options: PlanOptions) =>
  Effect.scoped(
    Effect.gen(function* () {
      const dataDir = existsSync(databaseFile(options.dataDir))
        ? options.dataDir
        : yield* emptyFolder
      const runId = `plan-${randomUUID()}`
      return yield* Effect.provide(
        planned(options),
        Warehouse.layer({ dataDir, tables: coreTables, runId }),
      )
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
  for (const pipeline of withWhatTheyNeed(all, options.pipelines)) {
    const skipped = closedBy(pipeline.endpoint, options)
    const found = skipped !== undefined ? [] : yield* askedBy(warehouse, pipeline, context, options)
    const asked = found.filter(({ target }) => target.unaskable === undefined)
    pipelines.push({
      name: pipeline.name,
      title: pipeline.title,
      tasks: asked.length,
      requests: asked.reduce(
        (sum, { target, memory }) => sum + pipeline.expectedRequests(target, memory, context),
        0,
      ),
      ...(skipped === undefined ? {} : { skipped }),
    })
  }
  const requests = pipelines.reduce((sum, each) => sum + each.requests, 0)
  const [last] = yield* warehouse.rows(
    `select requests / greatest(epoch(finished_at - started_at), 0.001) as pace from ops.runs
     where requests > 0 and finished_at is not null order by started_at desc limit 1`,
  )
  const pace = Number(last?.["pace"] ?? 0)
  return {
    pipelines,
    requests,
    seconds: pace > 0 ? requests / pace : undefined,
    vaultsUnknown: (yield* storedVaults(warehouse)).length === 0,
  } satisfies Plan
})
