// The tasks of a shared run and who may commit them.
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import { type Claim, storedEntity, type TaskName } from "../../domain/run/claim.ts"
import { claimLost } from "../../load/errors.ts"
import { WorkDatabase, type WorkRow, type WorkRows } from "../../load/work/WorkDatabase.ts"

export interface PlannedClaim {
  readonly entity: string
  /** What a worker needs to read it, as JSON that only src/pipelines/workers interprets. */
  readonly task: unknown
}

const CHUNK = 10_000

/** Records the tasks of a pipeline, all or nothing. */
export const planClaims = (runId: string, pipeline: string, tasks: ReadonlyArray<PlannedClaim>) =>
  Effect.gen(function* () {
    const { rows, transaction } = yield* WorkDatabase
    const placed = tasks.map(({ entity, task }, place) => ({
      entity: storedEntity(entity),
      place,
      // As text, in which U+0000 is escaped.
      task: JSON.stringify(task),
    }))
    yield* transaction(
      Effect.forEach(
        Arr.chunksOf(placed, CHUNK),
        (chunk) => rows("plan_claims", [runId, pipeline, JSON.stringify(chunk)]),
        { discard: true },
      ),
    )
  })

/** The planned tasks of a pipeline, in order; empty if it is not planned. */
export const plannedClaims = (runId: string, pipeline: string) =>
  Effect.flatMap(WorkDatabase, ({ rows }) =>
    Effect.map(rows("planned_claims", [runId, pipeline]), (found) =>
      found.map((row) => ({ entity: entityOf(row), isDone: row["is_done"] === true })),
    ),
  )

export interface PipelineProgress {
  readonly pipeline: string
  readonly tasks: number
  readonly done: number
}

/** Read by the session that holds the planner's lock, so that its loss is noticed. */
export const progressOf = (session: WorkRows, runId: string) =>
  Effect.map(session("progress", [runId]), (found) =>
    found.map((row): PipelineProgress => ({
      pipeline: String(row["pipeline"]),
      tasks: Number(row["tasks"]),
      done: Number(row["done"]),
    })),
  )

export interface ClaimedTask {
  readonly claim: Claim
  readonly task: unknown
}

/** Claims those that are not done for `worker`: from now on no other worker can commit them. */
export const claimTasks = (runId: string, worker: string, tasks: ReadonlyArray<TaskName>) =>
  Effect.flatMap(WorkDatabase, ({ rows }) =>
    Effect.map(rows("claim", [runId, JSON.stringify(tasks.map(stored)), worker]), (found) =>
      found.map((row): ClaimedTask => ({
        claim: {
          runId,
          pipeline: String(row["pipeline"]),
          entity: entityOf(row),
          epoch: Number(row["epoch"]),
        },
        task: JSON.parse(JSON.parse(String(row["task"])) as string),
      })),
    ),
  )

/** Fails with `ClaimLost` if another worker has claimed it since. */
export const finishClaim = (claim: Claim) =>
  Effect.gen(function* () {
    const { rows } = yield* WorkDatabase
    const { runId, pipeline, entity, epoch } = claim
    const finished = yield* rows("finish_claim", [runId, pipeline, storedEntity(entity), epoch])
    if (finished.length === 0) return yield* claimLost(claim)
  })

const stored = ({ pipeline, entity }: TaskName): TaskName => ({
  pipeline,
  entity: storedEntity(entity),
})

const entityOf = (row: WorkRow): string => JSON.parse(String(row["entity"])) as string
