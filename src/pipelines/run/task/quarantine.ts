// Closes quarantine entries that a later response of their partition has resolved.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { formatInstant, microsFromMillis } from "../../../domain/values/time.ts"
import { decodeRow, text } from "../../../load/duckdb/decodeRow.ts"
import { literal } from "../../../load/sql/sql.ts"
import { sqlFile } from "../../../load/sql/sqlFile.ts"
import { quarantine } from "../../../load/tables/ops/quarantine.ts"
import { Warehouse } from "../../../load/Warehouse.ts"
import { pipelines } from "../../pipelines.ts"

const resolvedEntry = decodeRow({ responseId: text("response_id") })

const withFixedWindows = JSON.stringify(
  pipelines.filter((each) => each.windows !== undefined).map(({ name }) => name),
)

const open = "select 1 from ops.quarantine where closed_at is null and run_id <> $1 limit 1"

/** Writes nothing if nothing is resolved. What a run that was killed has resolved, the next one closes. */
export const closeQuarantine = Effect.fnUntraced(function* (runId: string) {
  const warehouse = yield* Warehouse
  if ((yield* warehouse.rows(open, [runId], ["ops.quarantine"])).length === 0) return
  const resolved = yield* warehouse.rows(sqlFile("state", "resolved_quarantine"), [
    runId,
    withFixedWindows,
  ])
  if (resolved.length === 0) return
  const now = formatInstant(microsFromMillis(yield* Clock.currentTimeMillis)).replace("Z", "")
  const ids = resolved.map((row) => literal(resolvedEntry(row).responseId)).join(", ")
  yield* warehouse.execute(
    [
      `update ops.quarantine set closed_at = timestamp '${now}'
       where closed_at is null and response_id in (${ids})`,
    ],
    [quarantine],
  )
})
