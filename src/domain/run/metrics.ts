// Metrics with stable names, which docs/monitoring.md lists. Counters count during a run; gauges are set from the files
// on disk when they are read.
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"

export type Labels = Readonly<Record<string, string>>

const counter =
  (name: string, description: string) =>
  (labels: Labels, value = 1): Effect.Effect<void> =>
    Metric.update(
      Metric.counter(name, { description, incremental: true, attributes: labels }),
      value,
    )

export const countRuns = counter("vaulthouse_runs_total", "Runs by outcome")

export const countTasks = counter("vaulthouse_tasks_total", "Tasks by pipeline and outcome")

export const countRequests = counter(
  "vaulthouse_requests_total",
  "Requests sent by endpoint and HTTP status; status none means no response",
)

export const countRetries = counter(
  "vaulthouse_request_retries_total",
  "Requests sent again after a failure by endpoint",
)

export const countResponseBytes = counter(
  "vaulthouse_response_bytes_total",
  "Bytes of response bodies, decompressed, by endpoint",
)

export const countRows = counter(
  "vaulthouse_rows_total",
  "Rows that were inserted or revised, by table",
)

/** A gauge whose series are all set at once; earlier series that are not set again are removed. */
export const gauge = (name: string, description: string) => {
  let before: ReadonlyArray<Metric.Metric<number, unknown>> = []
  return (series: ReadonlyArray<readonly [Labels, number]>): Effect.Effect<void> =>
    Effect.contextWith((context) =>
      Effect.sync(() => {
        for (const each of before) Metric.removeUnsafe(each, context)
        before = series.map(([labels, value]) => {
          const each = Metric.gauge(name, { description, attributes: labels })
          each.updateUnsafe(value, context)
          return each
        })
      }),
    )
}

export const setRequestLimit = gauge(
  "vaulthouse_request_limit_per_second",
  "Requests per second that the last run ended with: learnt from HTTP 429 or set; +Inf without either",
)
