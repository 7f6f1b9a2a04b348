// What became of a task's responses, as the archive keeps it beside them: with it the tables can be made again from the
// archive alone.
import type { Outcome } from "./outcome.ts"

export interface Closing {
  readonly runId: string
  readonly pipeline: string
  readonly entity: string
  readonly window: string
  readonly outcome: Outcome
  /** Ids of the responses rows were made of; with others of the same closing, as one set where they are of a set. */
  readonly landed: ReadonlyArray<string>
  /** Ids of the others: failures, attempts repeated, readings that were not believed. */
  readonly notLanded: ReadonlyArray<string>
}
