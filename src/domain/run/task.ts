// The current task. The archive records it with every response, the request budget sends its requests before those of
// tasks with fewer left, and the time that they wait for a start does not count against its timeout.
import * as Context from "effect/Context"
import type { ActiveTime } from "./ActiveTime.ts"

export interface TaskName {
  readonly pipeline: string
  readonly entity: string
}

export interface Task extends TaskName {
  /** The kind of error it failed with in the newest run that read it. */
  readonly failedBefore?: string | undefined
  readonly activeTime: ActiveTime
  /** How many requests it will probably send, one after the other. */
  readonly expectedRequests: number
}

/** The current task; `undefined` for a request outside a run. */
export const CurrentTask = Context.Reference<Task | undefined>("vaulthouse/domain/CurrentTask", {
  defaultValue: () => undefined,
})
