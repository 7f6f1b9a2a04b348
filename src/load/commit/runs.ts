// The record of a run in ops.runs: written at its start, completed at its end from its tasks.
import { MICROS_PER_SECOND } from "../../domain/values/time.ts"
import type { Rows } from "../../domain/table/table.ts"
import { CATALOG, instant, literal } from "../sql/sql.ts"
import { rowsOf } from "../../domain/table/rowsOf.ts"
import { LoadError } from "../errors.ts"
import { Changes, type Session } from "./session.ts"
import { transaction, transactionIn, type Turn } from "../duckdb/transaction.ts"
import { decodeRow, number, optional } from "../duckdb/decodeRow.ts"
import { readRows } from "../duckdb/readRows.ts"
import { sqlFile } from "../sql/sqlFile.ts"
import { runs } from "../tables/ops/runs.ts"

export interface RunStart {
  /** As typed. */
  readonly command: string
  readonly baseUrl?: string
  readonly version: string
}

export type RunOutcome = "complete" | "partial" | "deferred" | "failed" | "stopped"

/** What the run has learnt of the service's limits. */
export interface RequestLimits {
  readonly atOnce: number
  /** Infinite if no limit was met. */
  readonly perSecond: number
}

export interface RunSummary {
  readonly tasks: number
  readonly requests: number
  readonly rowsInserted: number
  readonly rowsRevised: number
  /** From the recorded start of the run to its end. */
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
    await changes.write([{ ...rows, haveNewKeys: true }])
  })
  changes.afterCommit()
}

const decodeTotals = decodeRow({
  tasks: number("tasks"),
  requests: number("requests"),
  rowsInserted: number("rows_inserted"),
  rowsRevised: number("rows_revised"),
  startedAt: optional(number)("started_at"),
})

/** Whether this process began the run: another has written nothing of it, but for what the workers of the run read. */
export const isBegunHere = ({ keys, runId }: Session): boolean => keys.hasWritten(runs, [runId])

/**
 * In a turn, before anything is written: rejects if another process took this one for dead while its connection was lost, and has
 * ended the run. The end of its segment says what was not committed, and nothing is appended behind it.
 */
export const mustBeInProgress = async (
  session: Session,
  { others }: Pick<Turn, "others">,
): Promise<void> => {
  // Whoever ends a run notes nothing. A planner may continue a run that is recorded as ended.
  if (others !== undefined || !isBegunHere(session)) return
  const { connection, runId } = session
  if ((await readRows(connection, sqlFile("state", "is_ended"), [runId])).length === 0) return
  throw new LoadError({
    reason: "Catalog",
    what: `Run ${runId}`,
    why: "the connection to the lake was lost, and another process has ended this run as killed",
    advice: "Start again: what was not committed is read again.",
  })
}

const finite = (value = Infinity): string => (Number.isFinite(value) ? `${value}::double` : "NULL")

/** Completes the run's record; its totals come from ops.tasks. */
export const finishRun = async (
  session: Session,
  outcome: RunOutcome,
  bookkeeping?: Rows,
  limits?: RequestLimits,
): Promise<RunSummary> => {
  const changes = new Changes(session)
  // A row of totals, whatever the run has done.
  const [row = {}] = await readRows(session.connection, sqlFile("state", "run_totals"), [
    session.runId,
  ])
  const { startedAt, ...totals } = decodeTotals(row)
  const finishedAt = session.tick()
  const write = async (): Promise<void> => {
    await session.connection.run(
      `UPDATE ${CATALOG}.ops.runs SET
      finished_at = ${instant(finishedAt)}, outcome = ${literal(outcome)},
      tasks = ${totals.tasks}, requests = ${totals.requests},
      rows_inserted = ${totals.rowsInserted}, rows_revised = ${totals.rowsRevised},
      requests_at_once = ${finite(limits?.atOnce)}, requests_per_second = ${finite(limits?.perSecond)}
      WHERE run_id = ${literal(session.runId)}`,
    )
    changes.add(runs, ["-"])
    await changes.write(
      bookkeeping === undefined
        ? []
        : [isBegunHere(session) ? { ...bookkeeping, haveNewKeys: true } : bookkeeping],
    )
  }
  await session.exclusively(async (turn) => {
    await mustBeInProgress(session, turn)
    await transactionIn(turn, session, write)
  })
  changes.afterCommit()
  const seconds = (finishedAt - (startedAt ?? finishedAt)) / MICROS_PER_SECOND
  return { ...totals, seconds }
}
