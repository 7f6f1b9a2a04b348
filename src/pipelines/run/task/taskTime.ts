// The time limit of a task: only the time in which its requests are handled counts, not the waits for the request
// budget.
import * as Effect from "effect/Effect"
import type { ActiveTime } from "../../../domain/run/ActiveTime.ts"
import { ApiError } from "../../../domain/wire/errors.ts"

/** Fails once the task has been active for `seconds`. */
export const outOfTime = (
  activeTime: ActiveTime,
  seconds: number,
  pipeline: string,
  entity: string,
): Effect.Effect<never, ApiError> =>
  Effect.gen(function* () {
    for (;;) {
      const left = seconds * 1000 - activeTime.elapsed()
      if (left <= 0 && !activeTime.isPaused) return yield* timeout(pipeline, entity, seconds)
      yield* Effect.sleep(Math.max(left, 50))
    }
  })

const timeout = (pipeline: string, entity: string, seconds: number): ApiError =>
  new ApiError({
    reason: { _tag: "Timeout", of: "task", seconds },
    endpoint: pipeline,
    subject: entity,
    status: undefined,
    detail: `not done within ${seconds} s; what was loaded is kept, and the next run continues from there (--task-timeout allows more)`,
    attempts: 0,
    responses: [],
  })
