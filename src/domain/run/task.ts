// The current task. The archive records it with every response, and the time that its requests wait for a start does
// not count against its timeout.
import * as Context from "effect/Context"
import type { ActiveTime } from "./ActiveTime.ts"

export interface TaskName {
  readonly pipeline: string
  readonly entity: string
}

export interface Task extends TaskName {
  readonly activeTime: ActiveTime
}

/** The current task; `undefined` for a request outside a run. */
export const CurrentTask = Context.Reference<Task | undefined>("vaulthouse/domain/CurrentTask", {
  defaultValue: () => undefined,
})
