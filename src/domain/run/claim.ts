// The right of a worker to commit a task until another worker claims it.

/** A task by the names of its pipeline and partition. */
export interface TaskName {
  readonly pipeline: string
  readonly entity: string
}

export interface Claim extends TaskName {
  readonly runId: string
  /** How often the task has been claimed. */
  readonly epoch: number
}
