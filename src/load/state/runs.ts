// Corrects the records of runs other than this one's.
import * as Effect from "effect/Effect"
import { literal } from "../sql/sql.ts"
import { sqlFile } from "../sql/sqlFile.ts"
import { runs } from "../tables/ops/runs.ts"
import { Warehouse } from "../Warehouse.ts"

/** Ends the records of runs that were killed. */
export const endKilledRuns = Effect.fnUntraced(function* (runIds: ReadonlyArray<string>) {
  const { execute } = yield* Warehouse
  const ofKilled = `run_id in (${runIds.map(literal).join(", ")})`
  yield* execute([`${sqlFile("state", "end_killed_runs")} and ${ofKilled}`], [runs])
})

/** Removes what a run has recorded about itself. */
export const forgetRun = Effect.fnUntraced(function* (runId: string) {
  const tables = ["tasks", "runs", "partition_changes"]
  yield* (yield* Warehouse).execute(
    tables.map((table) => `delete from ops.${table} where run_id = ${literal(runId)}`),
  )
})
