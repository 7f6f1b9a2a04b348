// Queues the result of a task as one batch: its rows, its cursor, its record, and the bookkeeping next to them.
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { ResponseArchive } from "../../../archive/ResponseArchive.ts"
import { invariant } from "../../../domain/invariant.ts"
import type { Claim } from "../../../domain/run/claim.ts"
import { type Batch, recordedOutcome } from "../../../domain/run/outcome.ts"
import { tableName } from "../../../domain/table/table.ts"
import { annotateSpan, spanned } from "../../../domain/run/span.ts"
import { Warehouse } from "../../../load/Warehouse.ts"
import type { TaskResult } from "../../model/TaskResult.ts"
import { bookkeepingRows, commitMarkerOf, type RecordedTask } from "./bookkeeping.ts"
import type { Resolved } from "./outcome.ts"

/** A batch that waits for its commit. */
export type Queued = Effect.Success<ReturnType<Warehouse["Service"]["queue"]>>

export interface ReadTask extends RecordedTask {
  /** How long reading took. */
  readonly seconds: number
  /** The claim of a worker, which the commit checks. */
  readonly claim: Claim | undefined
}

/**
 * `result` has the rows that are to land, and the drift that no earlier task has recorded; `after` is the batch before it.
 * Fails with `ArchiveError`. `committed` waits for what the commit changed, or fails with why nothing of the batch was kept.
 * Not to be interrupted: what is queued will be committed.
 *
 * The commit marker comes first, so that a replay never makes fewer rows than the tables hold. If the commit fails, the
 * marker of the next attempt or the end of the run takes its place.
 */
export const queueTask = Effect.fnUntraced(function* (
  result: TaskResult,
  task: ReadTask,
  resolved: Resolved,
  after: Queued | undefined,
) {
  const warehouse = yield* Warehouse
  const archive = yield* ResponseArchive
  mustHaveResponses(result)
  const marker = commitMarkerOf(result, task)
  if (result.responses.length > 0) yield* archive.markCommit(marker)
  const queued = yield* warehouse.queue(batchOf(result, task, resolved), after)
  const { pipeline, entity, outcome } = task
  const committed = Deferred.await(queued).pipe(
    Effect.tapError(({ reason }) =>
      // With any other, the connection to a lake may have been lost between COMMIT and its acknowledgement.
      reason === "ClaimLost" || reason === "NotTried"
        ? archive.refuse(marker)
        : archive.doubt(marker),
    ),
    Effect.tap((counts) =>
      annotateSpan({
        outcome: recordedOutcome(outcome, counts),
        rows_inserted: counts.inserted,
        rows_revised: counts.revised,
        rows_unchanged: counts.unchanged,
      }),
    ),
    spanned("commit", { pipeline, entity, window: result.window }),
  )
  return { queued, committed }
})

/** Otherwise a value could not be traced, and a replay would leave its row out. */
const mustHaveResponses = ({ rows, responses }: TaskResult): void => {
  const ids = new Set(responses.map(({ responseId }) => responseId))
  for (const { table, lineage } of rows) {
    invariant(
      lineage === null || ids.has(lineage.responseId),
      "a row names a response that is archived and indexed with it",
      { table: tableName(table), response: lineage?.responseId },
    )
  }
}

const batchOf = (result: TaskResult, task: ReadTask, { errorTag, text }: Resolved): Batch => {
  const { window, rows, requests, series, covers, cursor } = result
  const { pipeline, entity, vault, outcome, seconds, claim } = task
  return {
    task: {
      pipeline,
      entity,
      window,
      outcome,
      requests,
      seconds,
      ...(vault === undefined ? {} : { vault }),
      ...(series === undefined ? {} : { series }),
      ...(covers === undefined ? {} : { covers }),
      ...(errorTag === undefined ? {} : { errorTag }),
      ...(text === undefined ? {} : { errorText: text }),
    },
    rows,
    ...(cursor === undefined
      ? {}
      : { cursor: { pipeline, entity: cursor.entity, cursor: cursor.value } }),
    bookkeeping: bookkeepingRows(result, task),
    ...(claim === undefined ? {} : { claim }),
  }
}
