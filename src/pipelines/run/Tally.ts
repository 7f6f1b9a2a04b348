// Counts of one pipeline of one run, kept while it goes on.
import { type Committed, isFailure, type RecordedOutcome } from "../../domain/outcome.ts"
import type { PipelineSummary } from "../model/progress.ts"

const SHOWN_ERRORS = 3

export class Tally {
  readonly name: string
  readonly title: string
  readonly outcomes: Partial<Record<RecordedOutcome, number>> = {}
  readonly firstErrors: Array<string> = []
  skipped: string | undefined
  /** How long the service says to wait, where it was too long for the run. */
  delaySeconds: number | undefined
  /** Some rows were read, if only ones that were stored before. */
  hasRows = false
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

  count(
    outcome: RecordedOutcome,
    errorText: string | undefined,
    task: Committed & { readonly requests: number },
  ): void {
    this.tasks += 1
    this.hasRows ||= task.inserted + task.revised + task.unchanged > 0
    this.rowsInserted += task.inserted
    this.rowsRevised += task.revised
    this.requests += task.requests
    this.outcomes[outcome] = (this.outcomes[outcome] ?? 0) + 1
    if (outcome === "skipped") this.skipped ??= errorText
    if (errorText !== undefined && isFailure(outcome) && this.firstErrors.length < SHOWN_ERRORS) {
      this.firstErrors.push(errorText)
    }
  }

  delay(seconds: number | undefined): void {
    if (seconds !== undefined) this.delaySeconds = Math.max(this.delaySeconds ?? 0, seconds)
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
    const { skipped, delaySeconds } = this
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
      delaySeconds,
    }
  }
}
