// What a shared run reads, as its planner records it in JSON for workers and for a planner that continues it.
import { isDeepStrictEqual } from "node:util"
import type { Failing, MissingSlots } from "../model/PartitionState.ts"
import type { AnyPipeline, Partition, RunContext } from "../model/Pipeline.ts"
import type { SyncOptions } from "../run/selection.ts"
import type { PlannedTask } from "../run/state.ts"

export interface RunRequest extends Pick<
  SyncOptions,
  "pipelines" | "vaults" | "unsupportedRetryDays"
> {
  readonly context: RunContext
}

const asStored = (request: RunRequest): RunRequest =>
  JSON.parse(JSON.stringify(request)) as RunRequest

export const requestOf = (options: SyncOptions, context: RunContext): RunRequest =>
  asStored({
    pipelines: options.pipelines,
    vaults: options.vaults,
    unsupportedRetryDays: options.unsupportedRetryDays,
    context,
  })

/** Whether two requests are the same apart from their time. */
export const isSameRequest = (one: RunRequest, other: RunRequest): boolean => {
  const timeless = ({ context, ...request }: RunRequest) => ({
    ...request,
    context: { ...context, now: 0, today: 0 },
  })
  return isDeepStrictEqual(timeless(one), timeless(other))
}

/**
 * A task as its planner found it. Cursors and open gaps are read when it is claimed: an earlier claim may have moved
 * them.
 */
export interface TaskRequest {
  readonly partition: Partition<unknown>
  readonly skippedWindows: ReadonlyArray<string>
  readonly missingSlots?: ReadonlyArray<readonly [string, MissingSlots]>
  readonly failing?: Failing
}

export const taskRequestOf = (
  pipeline: AnyPipeline,
  { partition, state }: PlannedTask,
  context: RunContext,
): TaskRequest => ({
  partition,
  skippedWindows:
    partition.unsupported === undefined
      ? (pipeline.windows?.(partition, context) ?? []).filter(state.isSkipped)
      : [],
  ...(state.missingSlots === undefined ? {} : { missingSlots: [...state.missingSlots] }),
  ...(state.failing === undefined ? {} : { failing: state.failing }),
})
