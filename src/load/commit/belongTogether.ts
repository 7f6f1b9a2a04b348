// What belongs together in a batch: rows, cursor, task and claim are of one run and one pipeline. Otherwise a cursor could
// pass rows that were never stored.
import { invariant } from "../../domain/invariant.ts"
import type { Batch } from "../../domain/run/outcome.ts"

export const mustBelongTogether = (batch: Batch, runId: string): void => {
  const { task, cursor, claim } = batch
  if (cursor !== undefined) {
    invariant(cursor.pipeline === task?.pipeline, "a cursor moves with a task of its pipeline", {
      cursor: cursor.pipeline,
      task: task?.pipeline,
    })
  }
  if (task === undefined) return
  invariant((batch.runId ?? runId) === runId, "a task and its rows are of one run", {
    rows: batch.runId,
    task: runId,
  })
  if (claim !== undefined) {
    const { pipeline, entity } = claim
    const isOfTask = claim.runId === runId && pipeline === task.pipeline && entity === task.entity
    invariant(isOfTask, "a claim is of the task that it commits", {
      claim: `${pipeline} of ${entity} in ${claim.runId}`,
      task: `${task.pipeline} of ${task.entity} in ${runId}`,
    })
  }
}
