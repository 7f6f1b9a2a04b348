// The record of a run in ops.runs: written at its start, completed at its end from what its tasks say.
import { CATALOG, instant, literal } from "./sql.ts"
import { Changes, loadUpkeep, rowsOf, type Session, transaction } from "./commitGroup.ts"
import { readRows } from "./readRows.ts"
import { runs } from "./tables/runs.ts"

export interface RunStart {
  /** Command and pipelines as asked for. */
  readonly command: string
  readonly baseUrl?: string
  readonly version: string
}

export type RunOutcome = "complete" | "partial" | "deferred" | "failed"

export interface RunSummary {
  readonly tasks: number
  readonly requests: number
  readonly rowsInserted: number
  readonly rowsRevised: number
}

export const startRun = async (session: Session, start: RunStart): Promise<void> => {
  const changes = new Changes(session)
  const rows = rowsOf(runs, [
    {
      run_id: session.runId,
      command: start.command,
      started_at: session.tick(),
      base_url: start.baseUrl,
      vaulthouse_version: start.version,
    },
  ])
  await transaction(session, async () => {
    await loadUpkeep(session, [rows], changes)
    await changes.write()
  })
  changes.settle()
}

/** Completes the run's record; its sums come from ops.tasks, which the same database committed. */
export const finishRun = async (session: Session, outcome: RunOutcome): Promise<RunSummary> => {
  const changes = new Changes(session)
  const [sums] = await readRows(
    session.connection,
    `SELECT count(*) AS tasks, coalesce(sum(requests), 0)::BIGINT AS requests,
       coalesce(sum(rows_inserted), 0)::BIGINT AS rows_inserted,
       coalesce(sum(rows_revised), 0)::BIGINT AS rows_revised
     FROM ${CATALOG}.ops.tasks WHERE run_id = $1`,
    [session.runId],
  )
  const summary = {
    tasks: Number(sums?.["tasks"] ?? 0),
    requests: Number(sums?.["requests"] ?? 0),
    rowsInserted: Number(sums?.["rows_inserted"] ?? 0),
    rowsRevised: Number(sums?.["rows_revised"] ?? 0),
  }
  await transaction(session, async () => {
    await session.connection.run(`UPDATE ${CATALOG}.ops.runs SET
      finished_at = ${instant(session.tick())}, outcome = ${literal(outcome)},
      tasks = ${summary.tasks}, requests = ${summary.requests},
      rows_inserted = ${summary.rowsInserted}, rows_revised = ${summary.rowsRevised}
      WHERE run_id = ${literal(session.runId)}`)
    changes.add(runs, ["-"])
    await changes.write()
  })
  changes.settle()
  return summary
}
