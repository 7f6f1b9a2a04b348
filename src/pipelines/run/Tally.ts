// Counts of one pipeline of one run, kept while it goes on.
import { isFailure, type RecordedOutcome } from "../../domain/outcome.ts"
import type { PipelineSummary } from "./progress.ts"

const SHOWN_ERRORS = 3

export class Tally {
  readonly name: string
  readonly title: string
  readonly outcomes: Partial<Record<RecordedOutcome, number>> = {}
  readonly firstErrors: Array<string> = []
  skipped: string | undefined
  rowsInserted = 0
  rowsRevised = 0
  requests = 0
  tasks = 0
  private readonly startedAt: number
  private finishedAt: number

  constructor(name: string, title: string, now: number) {
    this.name = name
    this.title = title
    this.startedAt = now
    this.finishedAt = now
  }

  count(outcome: RecordedOutcome, errorText: string | undefined): void {
    this.tasks += 1
    this.outcomes[outcome] = (this.outcomes[outcome] ?? 0) + 1
    if (outcome === "skipped") this.skipped ??= errorText
    if (errorText !== undefined && isFailure(outcome) && this.firstErrors.length < SHOWN_ERRORS) {
      this.firstErrors.push(errorText)
    }
  }

  finish(now: number): void {
    this.finishedAt = now
  }

  has(...outcomes: ReadonlyArray<RecordedOutcome>): boolean {
    return outcomes.some((outcome) => (this.outcomes[outcome] ?? 0) > 0)
  }

  get summary(): PipelineSummary {
    const { name, title, outcomes, rowsInserted, rowsRevised, requests, firstErrors } = this
    const seconds = (this.finishedAt - this.startedAt) / 1000
    const { skipped } = this
    return {
      name,
      title,
      outcomes,
      rowsInserted,
      rowsRevised,
      requests,
      seconds,
      firstErrors,
      skipped,
    }
  }
}
