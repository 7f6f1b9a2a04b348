// Whose task a piece of work belongs to; told along so that the archive can say who asked.
import * as Context from "effect/Context"

export interface TaskName {
  readonly pipeline: string
  readonly entity: string
}

/** The task going on; none where a question is asked outside a run. */
export const CurrentTask = Context.Reference<TaskName | undefined>(
  "vaulthouse/domain/CurrentTask",
  {
    defaultValue: () => undefined,
  },
)
