// Counts of one pipeline of a run, kept while it is in progress.
import {
  type Committed,
  isFailure,
  recordedOutcome,
  type RecordedOutcome,
} from "../../domain/run/outcome.ts"
import type { PipelineSummary } from "../model/progress.ts"
import type { TaskResult } from "../model/TaskResult.ts"
import type { Resolved } from "./task/outcome.ts"

const SHOWN_ERRORS = 3

export class Tally {
  readonly name: string
  readonly title: string
  readonly outcomes: Partial<Record<RecordedOutcome, number>> = {}
  readonly firstErrors: Array<string> = []
  skipped: string | undefined
  /** How long the service says to wait, if that was too long for the run. */
  delaySeconds: number | undefined
  /** Rows that were read, whether they were stored before or not. */
  rows = 0
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

  /** Counts a task that has landed. */
  count({ error, requests }: TaskResult, { outcome, text }: Resolved, committed: Committed): void {
    const texts = text === undefined ? [] : [text]
    this.add(recordedOutcome(outcome, committed), 1, texts, { ...committed, requests })
    if (error?.reason._tag === "RateLimited") this.delay(error.reason.delaySeconds)
  }

  /** Counts several tasks of one outcome, with the texts of some of their errors. */
  add(
    outcome: RecordedOutcome,
    tasks: number,
    errorTexts: ReadonlyArray<string>,
    totals: Committed & { readonly requests: number },
  ): void {
    this.tasks += tasks
    this.rows += totals.inserted + totals.revised + totals.unchanged
    this.rowsInserted += totals.inserted
    this.rowsRevised += totals.revised
    this.requests += totals.requests
    this.outcomes[outcome] = (this.outcomes[outcome] ?? 0) + tasks
    if (outcome === "skipped") this.skipped ??= errorTexts[0]
    if (isFailure(outcome)) {
      this.firstErrors.push(...errorTexts.slice(0, SHOWN_ERRORS - this.firstErrors.length))
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
