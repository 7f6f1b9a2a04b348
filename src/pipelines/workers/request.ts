// What a shared run reads, as its planner records it in JSON for workers and for a planner that continues it.
import { isDeepStrictEqual } from "node:util"
import type { Failing, MissingSlots, OpenGap } from "../model/PartitionState.ts"
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

/** A task as its planner found it. */
export interface TaskRequest {
  readonly partition: Partition<unknown>
  /** For the first claim: later ones read them again, because the one before may have moved them. */
  readonly cursors: ReadonlyArray<readonly [string, unknown]>
  readonly openGaps: ReadonlyArray<OpenGap>
  readonly skippedWindows: ReadonlyArray<string>
  readonly missingSlots?: ReadonlyArray<readonly [string, MissingSlots]>
  readonly failing?: Failing
}

type Cursors = TaskRequest["cursors"]

/** By partition its cursor and those of its series, which are stored under the partition's key and their name. */
export const cursorsByPartition = (
  stored: ReadonlyMap<string, unknown>,
): ReadonlyMap<string, Cursors> => {
  const found = new Map<string, Array<Cursors[number]>>()
  for (const cursor of stored) {
    const words = cursor[0].split(" ")
    for (let count = 1; count <= words.length; count += 1) {
      const entity = words.slice(0, count).join(" ")
      const ofEntity = found.get(entity)
      if (ofEntity === undefined) found.set(entity, [cursor])
      else ofEntity.push(cursor)
    }
  }
  return found
}

export const taskRequestOf = (
  pipeline: AnyPipeline,
  { partition, state }: PlannedTask,
  context: RunContext,
  cursors: Cursors = [],
): TaskRequest => ({
  partition,
  cursors,
  openGaps: state.openGaps,
  skippedWindows:
    partition.unsupported === undefined
      ? (pipeline.windows?.(partition, context) ?? []).filter(state.isSkipped)
      : [],
  ...(state.missingSlots === undefined ? {} : { missingSlots: [...state.missingSlots] }),
  ...(state.failing === undefined ? {} : { failing: state.failing }),
})
