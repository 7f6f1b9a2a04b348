// The run that workers read: there is one at a time, planned by the process that holds the planner's lock.
import * as Effect from "effect/Effect"
import { SqlError } from "effect/sql/SqlError"
import type { LoadError } from "../../load/errors.ts"
import { WorkDatabase, type WorkRow, type WorkRows } from "../../load/work/WorkDatabase.ts"

export interface SharedRun {
  readonly runId: string
  /** As typed. */
  readonly command: string
  /** What planner and workers must agree on: by name, as JSON or a digest. */
  readonly settings: Readonly<Record<string, string>>
  /** What it reads, as JSON that only src/pipelines/workers interprets. */
  readonly request: unknown
  /** Host and process. */
  readonly planner: string
}

export interface OpenRun extends SharedRun {
  readonly openedAt: Date
  /** Whether all of its tasks are done. */
  readonly isRead: boolean
  /** Whether a planner is alive: its own, or one that is about to continue it. */
  readonly hasPlanner: boolean
  /** How many workers are alive. */
  readonly workers: number
}

const openRunOf = (row: WorkRow): OpenRun => ({
  runId: String(row["run_id"]),
  command: String(row["command"]),
  settings: JSON.parse(String(row["settings"])) as SharedRun["settings"],
  request: JSON.parse(String(row["request"])),
  planner: String(row["planner"]),
  openedAt: row["opened_at"] as Date,
  isRead: row["is_read"] === true,
  hasPlanner: row["has_planner"] === true,
  workers: Number(row["workers"]),
})

/** The run that has not ended, if there is one. Given a `session`, reads on it, so that its loss is noticed. */
export const unfinishedRun = (session?: WorkRows) =>
  Effect.flatMap(WorkDatabase, ({ rows }) =>
    Effect.map((session ?? rows)("unfinished_run"), ([row]) =>
      row === undefined ? undefined : openRunOf(row),
    ),
  )

export const openRun = ({ runId, command, settings, request, planner }: SharedRun) =>
  Effect.flatMap(WorkDatabase, ({ rows }) =>
    rows("open_run", [runId, command, JSON.stringify(settings), JSON.stringify(request), planner]),
  )

export const takeOverRun = (runId: string, planner: string) =>
  Effect.flatMap(WorkDatabase, ({ rows }) => rows("take_over_run", [runId, planner]))

/** Records that all tasks are done, so that workers leave the run. */
export const runIsRead = (runId: string) =>
  Effect.flatMap(WorkDatabase, ({ rows }) => rows("run_is_read", [runId]))

/** `false` if another planner has taken the run over, which then continues. */
export const endRun = (runId: string, planner: string) =>
  Effect.flatMap(WorkDatabase, ({ rows }) =>
    rows("end_run", [runId, planner]).pipe(
      // Workers renew the leases of their tasks in an order that only Effect's queue knows.
      Effect.retry({ while: isDeadlock, times: 5 }),
      Effect.map(([ended]) => ended !== undefined),
    ),
  )

/** PostgreSQL rolled the statement back because of a deadlock: it has changed nothing. */
const isDeadlock = ({ cause }: LoadError): boolean =>
  cause instanceof SqlError && cause.reason._tag === "DeadlockError"
