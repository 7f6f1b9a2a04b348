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

/** How an entity is stored in `vaulthouse_work.claims`: as JSON, since PostgreSQL has no U+0000. */
export const storedEntity = (entity: string): string => JSON.stringify(entity)
