// The record of a run in ops.runs: written at its start, completed at its end from its tasks.
import { CATALOG, instant, literal } from "./sql.ts"
import { rowsOf } from "./rowsOf.ts"
import { Changes, type Session, transaction } from "./session.ts"
import { decodeRow, number } from "./decodeRow.ts"
import { readRows } from "./readRows.ts"
import { sqlFile } from "./sqlFile.ts"
import { runs } from "./tables/runs.ts"

export interface RunStart {
  /** As typed. */
  readonly command: string
  readonly baseUrl?: string
  readonly version: string
}

export type RunOutcome = "complete" | "partial" | "deferred" | "failed" | "stopped"

export interface RunSummary {
  readonly tasks: number
  readonly requests: number
  readonly rowsInserted: number
  readonly rowsRevised: number
  /** From the start of the run's record to its end. */
  readonly seconds: number
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
    await changes.write([rows])
  })
  changes.afterCommit()
}

const decodeTotals = decodeRow({
  tasks: number("tasks"),
  requests: number("requests"),
  rowsInserted: number("rows_inserted"),
  rowsRevised: number("rows_revised"),
})

const nothing: Omit<RunSummary, "seconds"> = {
  tasks: 0,
  requests: 0,
  rowsInserted: 0,
  rowsRevised: 0,
}

/** Completes the run's record; its totals come from ops.tasks. */
export const finishRun = async (session: Session, outcome: RunOutcome): Promise<RunSummary> => {
  const changes = new Changes(session)
  const found = await readRows(session.connection, sqlFile("state", "run_totals"), [session.runId])
  const [totals = nothing] = found.map(decodeTotals)
  let seconds = 0
  await transaction(session, async () => {
    await session.connection.run(
      `UPDATE ${CATALOG}.ops.runs SET
      finished_at = ${instant(session.tick())}, outcome = ${literal(outcome)},
      tasks = ${totals.tasks}, requests = ${totals.requests},
      rows_inserted = ${totals.rowsInserted}, rows_revised = ${totals.rowsRevised}
      WHERE run_id = ${literal(session.runId)}`,
    )
    const [ended] = await readRows(
      session.connection,
      `SELECT epoch(finished_at - started_at) AS seconds FROM ${CATALOG}.ops.runs WHERE run_id = $1`,
      [session.runId],
    )
    if (ended !== undefined) seconds = number("seconds")(ended)
    changes.add(runs, ["-"])
    await changes.write()
  })
  changes.afterCommit()
  return { ...totals, seconds }
}
