// What a batch leaves in ops.tasks and ops.cursors.
import { type Batch, recordedOutcome } from "../domain/outcome.ts"
import type { Rows } from "../domain/table.ts"
import type { Counts } from "./merge.ts"
import { rowsOf } from "./rowsOf.ts"
import { cursors } from "./tables/cursors.ts"
import { tasks } from "./tables/tasks.ts"

export const taskRows = (
  { task }: Batch,
  counts: Counts,
  runId: string,
  now: number,
): ReadonlyArray<Rows> => {
  if (task === undefined) return []
  const record = {
    run_id: runId,
    pipeline: task.pipeline,
    entity: task.entity,
    window: task.window,
    outcome: recordedOutcome(task.outcome, counts),
    requests: task.requests,
    rows_inserted: counts.inserted,
    rows_revised: counts.revised,
    rows_unchanged: counts.unchanged,
    seconds: task.seconds,
    error_tag: task.errorTag,
    error_text: task.errorText,
    finished_at: now,
    vault_address: task.vault?.address,
    chain_id: task.vault?.chainId,
    series: task.series,
    covers_from: task.covers?.from,
    covers_to: task.covers?.to,
  }
  return [rowsOf(tasks, [record])]
}

export const cursorRows = (batch: Batch, runId: string, now: number): ReadonlyArray<Rows> => {
  const { cursor } = batch
  if (cursor === undefined) return []
  const { pipeline, entity } = cursor
  const position = JSON.stringify(cursor.cursor)
  return [rowsOf(cursors, [{ pipeline, entity, cursor: position, run_id: runId, updated_at: now }])]
}
