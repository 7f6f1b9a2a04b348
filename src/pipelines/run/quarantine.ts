// Closes what was quarantined once a later answer has filled its place.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { formatInstant, microsFromMillis } from "../../domain/time.ts"
import { quarantine } from "../../load/tables/quarantine.ts"
import { Warehouse } from "../../load/Warehouse.ts"

/**
 * An entity whose tasks of this run all went well has been asked for its gaps again, and answered: what
 * was set aside of it is settled. Touches nothing when nothing is.
 */
export const closeQuarantine = Effect.fnUntraced(function* (runId: string) {
  const warehouse = yield* Warehouse
  const settled = yield* warehouse.rows(
    `select response_id from ops.quarantine q
     where closed_at is null and run_id <> $1
       and exists (from ops.tasks t
         where t.run_id = $1 and t.pipeline = q.pipeline and t.entity = q.entity)
       and not exists (from ops.tasks t
         where t.run_id = $1 and t.pipeline = q.pipeline and t.entity = q.entity
           and t.outcome in ('quarantined', 'failed', 'deferred', 'skipped'))`,
    [runId],
  )
  if (settled.length === 0) return
  const now = formatInstant(microsFromMillis(yield* Clock.currentTimeMillis)).replace("Z", "")
  const ids = settled.map((row) => `'${String(row["response_id"])}'`).join(", ")
  yield* warehouse.execute(
    [`update ops.quarantine set closed_at = timestamp '${now}' where response_id in (${ids})`],
    [quarantine],
  )
})
