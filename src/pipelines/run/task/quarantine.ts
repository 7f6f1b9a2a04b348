// Closes entries of ops.quarantine: those that a later response of their partition has resolved, and those whose response
// was read after all.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { microsFromMillis, timestampText } from "../../../domain/values/time.ts"
import { text } from "../../../load/duckdb/decodeRow.ts"
import { literal } from "../../../load/sql/sql.ts"
import { sqlFile } from "../../../load/sql/sqlFile.ts"
import { operationTable } from "../../../load/tables/index.ts"
import { Warehouse } from "../../../load/Warehouse.ts"
import { withFixedWindows } from "../../pipelines.ts"
import type { IndexedResponse } from "../../../load/state/archiveIndex.ts"

const now = Effect.map(
  Clock.currentTimeMillis,
  (millis) => `timestamp '${timestampText(microsFromMillis(millis))}'`,
)

const open = "select 1 from ops.quarantine where closed_at is null and run_id <> $1 limit 1"

/** Writes nothing if nothing is resolved. What a run that was killed has resolved, the next one closes. */
export const closeQuarantine = Effect.fnUntraced(function* (runId: string) {
  const warehouse = yield* Warehouse
  if ((yield* warehouse.rows(open, [runId], ["ops.quarantine"])).length === 0) return
  const resolved = yield* warehouse.rows(sqlFile("state", "resolved_quarantine"), [
    runId,
    JSON.stringify(withFixedWindows),
  ])
  if (resolved.length === 0) return
  const ids = resolved.map(text("response_id")).map(literal).join(", ")
  yield* warehouse.execute(
    [
      `update ops.quarantine set closed_at = ${yield* now}
       where closed_at is null and response_id in (${ids})`,
    ],
    [operationTable.quarantine],
  )
})

/** SQL that closes the entries of these responses, and the gaps on the days that their tasks read. */
export const entriesClosed = (responses: ReadonlyArray<IndexedResponse>) =>
  Effect.map(now, (closedAt) => ({
    statements: responses.flatMap(({ responseId, runId, pipeline, entity, window }) => [
      `update ops.quarantine set closed_at = ${closedAt} where response_id = ${literal(responseId)}`,
      `update ops.gaps set state = 'closed', detail = 'loaded from quarantine', updated_at = ${closedAt}
       where pipeline = ${literal(pipeline)} and entity = ${literal(entity)}
         and state = 'open' and reason = 'quarantined'
         and (from_at::date, to_at::date) in (
           select (covers_from, covers_to) from ops.tasks
           where run_id = ${literal(runId)} and pipeline = ${literal(pipeline)}
             and entity = ${literal(entity)} and "window" = ${literal(window)})`,
    ]),
    changed: [operationTable.quarantine, operationTable.gaps],
  }))
