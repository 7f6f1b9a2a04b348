// Counts runs, tasks, requests and bytes.
import * as Effect from "effect/Effect"
import type { RecordedOutcome } from "../../domain/run/outcome.ts"
import {
  countRequests,
  countResponseBytes,
  countRuns,
  countTasks,
} from "../../domain/run/metrics.ts"
import type { AnyPipeline } from "../model/Pipeline.ts"
import type { RunOutcome } from "../model/progress.ts"
import type { TaskResult } from "../model/TaskResult.ts"

export const countTask = Effect.fnUntraced(function* (
  { name, endpoint }: AnyPipeline,
  outcome: RecordedOutcome,
  { requests, responses }: Pick<TaskResult, "requests" | "responses">,
) {
  yield* countTasks({ pipeline: name, outcome })
  for (const response of responses) {
    yield* countRequests({ endpoint: response.endpoint, status: String(response.status) })
    yield* countResponseBytes({ endpoint: response.endpoint }, response.bytes)
  }
  const withoutResponse = requests - responses.length
  if (withoutResponse > 0)
    yield* countRequests({ endpoint: endpoint.name, status: "none" }, withoutResponse)
})

const outcomes: ReadonlyArray<RunOutcome | "stopped"> = [
  "complete",
  "partial",
  "deferred",
  "failed",
  "stopped",
]

/** Counts a run that ended. The other outcomes get a zero, so that the first run with one is an increase. */
export const countRun = (ended?: RunOutcome | "stopped"): Effect.Effect<void> =>
  Effect.forEach(outcomes, (outcome) => countRuns({ outcome }, outcome === ended ? 1 : 0), {
    discard: true,
  })
