// Whose task a piece of work belongs to: told along so that the archive can say who asked, and so that waiting for
// a turn does not count against the task's time.
import * as Context from "effect/Context"
import type { ServedTime } from "./ServedTime.ts"

export interface TaskName {
  readonly pipeline: string
  readonly entity: string
}

export interface Task extends TaskName {
  readonly served: ServedTime
}

/** The task going on; none where a question is asked outside a run. */
export const CurrentTask = Context.Reference<Task | undefined>("vaulthouse/domain/CurrentTask", {
  defaultValue: () => undefined,
})
