// Turns tasks that a worker has taken into ones it can read: claims them and, where another worker has begun them, reads
// their cursors and open gaps; together for all that are taken at about the same time.
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Request from "effect/Request"
import * as RequestResolver from "effect/RequestResolver"
import type { LoadError } from "../../load/errors.ts"
import { decodeRow, json, text } from "../../load/duckdb/decodeRow.ts"
import { sqlFile } from "../../load/sql/sqlFile.ts"
import { Warehouse } from "../../load/Warehouse.ts"
import type { TaskName } from "../../domain/run/claim.ts"
import { type ClaimedTask, claimTasks } from "./claims.ts"
import type { WorkDatabase } from "../../load/work/WorkDatabase.ts"
import { openGap, type PlannedTask } from "../run/state.ts"
import type { TaskRequest } from "./request.ts"

class Claimed extends Request.TaggedClass("Claimed")<
  TaskName,
  PlannedTask | undefined,
  LoadError
> {}

// Tasks that are taken by one statement arrive within this time.
const GATHERED_MILLIS = 5

/** Claims a task for `worker`; `undefined` if it is already done. */
export const claimedTasks = Effect.fnUntraced(function* (runId: string, worker: string) {
  const services = yield* Effect.context<WorkDatabase | Warehouse>()
  const claimAll = Effect.fnUntraced(function* (names: ReadonlyArray<TaskName>) {
    const claimed = yield* claimTasks(runId, worker, names)
    return yield* withState(claimed)
  })
  const resolver = RequestResolver.make<Claimed>((entries) =>
    claimAll(entries.map(({ request: { pipeline, entity } }) => ({ pipeline, entity }))).pipe(
      Effect.provide(services),
      Effect.map((found) => {
        for (const entry of entries) {
          entry.completeUnsafe(Exit.succeed(found.get(keyOf(entry.request))))
        }
      }),
    ),
  ).pipe(RequestResolver.setDelay(GATHERED_MILLIS))
  return (name: TaskName) => Effect.request(new Claimed(name), resolver)
})

const keyOf = ({ pipeline, entity }: TaskName): string => `${pipeline}/${entity}`

const cursorOf = decodeRow({
  pipeline: text("pipeline"),
  entity: text("entity"),
  cursor: json("cursor"),
})

const withState = Effect.fnUntraced(function* (claimed: ReadonlyArray<ClaimedTask>) {
  const moved = yield* movedState(claimed.filter(({ claim }) => claim.epoch > 1))
  return new Map(
    claimed.map(({ claim, task }) => {
      const { partition, skippedWindows, missingSlots, failing, ...planned } = task as TaskRequest
      const { cursors, openGaps } = moved.get(keyOf(claim)) ?? planned
      const byKey = new Map(cursors)
      const plannedTask: PlannedTask = {
        partition,
        claim,
        state: {
          cursor: (entity) => byKey.get(entity),
          openGaps,
          isSkipped: (window) => skippedWindows.includes(window),
          ...(missingSlots === undefined ? {} : { missingSlots: new Map(missingSlots) }),
          ...(failing === undefined ? {} : { failing }),
        },
      }
      return [keyOf(claim), plannedTask] as const
    }),
  )
})

type State = Pick<TaskRequest, "cursors" | "openGaps">

/** The cursors and open gaps of tasks that others have claimed before, and left halfway. */
const movedState = Effect.fnUntraced(function* (claimed: ReadonlyArray<ClaimedTask>) {
  if (claimed.length === 0) return new Map<string, State>()
  const { rows } = yield* Warehouse
  const claims = claimed.map(({ claim }) => claim)
  const names = JSON.stringify(claims.map(({ pipeline, entity }) => ({ pipeline, entity })))
  const cursors = Map.groupBy(
    (yield* rows(sqlFile("state", "cursors_of"), [names], ["ops.cursors"])).map(cursorOf),
    ({ pipeline }) => pipeline,
  )
  const gaps = Map.groupBy(
    (yield* rows(sqlFile("state", "open_gaps_of"), [names], ["ops.gaps"])).map(openGap),
    keyOf,
  )
  return new Map(
    claims.map((claim): [string, State] => {
      const ofPipeline = cursors.get(claim.pipeline) ?? []
      return [
        keyOf(claim),
        {
          cursors: ofPipeline.map(({ entity, cursor }) => [entity, cursor]),
          openGaps: gaps.get(keyOf(claim)) ?? [],
        },
      ]
    }),
  )
})
