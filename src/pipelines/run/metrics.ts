// What runs count, as metrics with stable names: docs/operations.md lists them, `/metrics` and OpenTelemetry export them.
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type { RunSummary } from "../model/progress.ts"
import { readLastRun } from "./lastRun.ts"

type Labels = Readonly<Record<string, string>>

const counter = (name: string, description: string) => (labels: Labels, value: number) =>
  Metric.update(Metric.counter(name, { description, incremental: true, attributes: labels }), value)

const gauge = (name: string, description: string) => (labels: Labels, value: number) =>
  Metric.update(Metric.gauge(name, { description, attributes: labels }), value)

const runs = counter("vaulthouse_runs_total", "Runs since the process started, by outcome")
const requests = counter("vaulthouse_requests_total", "Requests sent, by pipeline")
const rows = counter("vaulthouse_rows_total", "Rows that were new or revised, by pipeline")
const tasks = counter("vaulthouse_tasks_total", "Tasks, by pipeline and outcome")
const lastRunSeconds = gauge("vaulthouse_last_run_duration_seconds", "Duration of the last run")
const lastRunAt = gauge(
  "vaulthouse_last_run_timestamp_seconds",
  "When the last run with this outcome ended",
)
const failedChecks = gauge(
  "vaulthouse_failed_checks",
  "Checks of the last run that failed, by severity",
)

interface RunEnd {
  readonly outcome: string
  /** Milliseconds since 1970. */
  readonly endedAt: number
  /** Null where the run was stopped. */
  readonly seconds: number | null
  readonly failedChecks: ReadonlyArray<{ readonly severity: string }>
}

const recordRunEnd = Effect.fnUntraced(function* (end: RunEnd) {
  yield* lastRunAt({ outcome: end.outcome }, end.endedAt / 1000)
  if (end.seconds !== null) yield* lastRunSeconds({}, end.seconds)
  for (const severity of ["error", "warn"]) {
    const failed = end.failedChecks.filter((check) => check.severity === severity)
    yield* failedChecks({ severity }, failed.length)
  }
})

/** What last-run.json says of a run before this process: so that an alert on a run's age outlives a restart. */
export const recordEarlierRun = Effect.fnUntraced(function* (dataDir: string) {
  const last = yield* readLastRun(dataDir)
  if (last === undefined || last.outcome === null || last.finished_at === null) return
  yield* recordRunEnd({
    outcome: last.outcome,
    endedAt: Date.parse(last.finished_at),
    seconds: last.seconds,
    failedChecks: last.failed_checks,
  })
})

/** `endedAt` in milliseconds since 1970. */
export const recordRunMetrics = Effect.fnUntraced(function* (summary: RunSummary, endedAt: number) {
  yield* runs({ outcome: summary.outcome }, 1)
  yield* recordRunEnd({ ...summary, endedAt })
  for (const pipeline of summary.pipelines) {
    const labels = { pipeline: pipeline.name }
    yield* requests(labels, pipeline.requests)
    yield* rows({ ...labels, change: "inserted" }, pipeline.rowsInserted)
    yield* rows({ ...labels, change: "revised" }, pipeline.rowsRevised)
    for (const [name, count] of Object.entries(pipeline.outcomes)) {
      yield* tasks({ ...labels, outcome: name }, count)
    }
  }
})
