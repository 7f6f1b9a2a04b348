// The right of a worker to commit a task until another worker claims it.
export interface Claim {
  readonly runId: string
  readonly pipeline: string
  readonly entity: string
  /** How often the task has been claimed. */
  readonly epoch: number
}
