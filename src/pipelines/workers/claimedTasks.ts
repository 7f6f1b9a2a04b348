// Turns tasks that a worker has taken into ones it can read: claims them and reads their cursors and open gaps,
// together for all that are taken at about the same time.
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Request from "effect/Request"
import * as RequestResolver from "effect/RequestResolver"
import type { LoadError } from "../../load/errors.ts"
import { decodeRow, json, text } from "../../load/duckdb/decodeRow.ts"
import { sqlFile } from "../../load/sql/sqlFile.ts"
import { Warehouse } from "../../load/Warehouse.ts"
import { type ClaimedTask, claimTasks, type TaskName } from "../../load/work/claims.ts"
import type { WorkDatabase } from "../../load/work/WorkDatabase.ts"
import { pipelines } from "../pipelines.ts"
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

/** Pipelines whose partitions are read in the same windows in every run have no cursors and leave no gaps. */
const haveCursors = new Set(
  pipelines.filter((each) => !("windows" in each)).map(({ name }) => name),
)

const withState = Effect.fnUntraced(function* (claimed: ReadonlyArray<ClaimedTask>) {
  const { rows } = yield* Warehouse
  const names = claimed
    .filter(({ claim }) => haveCursors.has(claim.pipeline))
    .map(({ claim: { pipeline, entity } }) => ({ pipeline, entity }))
  const stateOf = (name: string, table: string) =>
    names.length === 0
      ? Effect.succeed([])
      : rows(sqlFile("state", name), [JSON.stringify(names)], [table])
  const cursors = new Map(
    (yield* stateOf("cursors_of", "ops.cursors"))
      .map(cursorOf)
      .map((each) => [keyOf(each), each.cursor] as const),
  )
  const gaps = Map.groupBy((yield* stateOf("open_gaps_of", "ops.gaps")).map(openGap), keyOf)
  return new Map(
    claimed.map(({ claim, task }) => {
      const { partition, skippedWindows, missingSlots, failing } = task as TaskRequest
      const planned: PlannedTask = {
        partition,
        claim,
        state: {
          cursor: (entity) => cursors.get(keyOf({ pipeline: claim.pipeline, entity })),
          openGaps: gaps.get(keyOf(claim)) ?? [],
          isSkipped: (window) => skippedWindows.includes(window),
          ...(missingSlots === undefined ? {} : { missingSlots: new Map(missingSlots) }),
          ...(failing === undefined ? {} : { failing }),
        },
      }
      return [keyOf(claim), planned] as const
    }),
  )
})
