// Metrics in Prometheus's text format: for /metrics, and as a file for node_exporter.
import { readFile } from "node:fs/promises"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import { replaceDurably } from "../../domain/durableFiles.ts"
import { setGauges } from "../../pipelines/readers/problems/gauges.ts"
import { warn } from "../terminal/complaints.ts"

/** The metrics in the text format 0.0.4. */
export const metricsText = (dataDir: string): Effect.Effect<string> =>
  Effect.andThen(setGauges(dataDir), PrometheusMetrics.format())

// node_exporter runs as another user.
const READABLE = 0o644

// What a command had counted when it last wrote the file: a scheduler, whose counters go on, writes after each run.
const counted = new WeakMap<object, string>()

/** Replaces the file; its counters continue from those of the earlier file. A failure is only a warning. */
export const writeMetricsFile = (path: string, dataDir: string): Effect.Effect<void> =>
  Effect.gen(function* () {
    const text = yield* metricsText(dataDir)
    const counters = yield* Metric.MetricRegistry
    yield* Effect.tryPromise({
      try: async () => {
        const before = await readFile(path, "utf8").catch(() => "")
        const content = withEarlierCounts(text, before, counted.get(counters))
        await replaceDurably(path, content, READABLE)
        counted.set(counters, text)
      },
      catch: (cause) => `the metrics file ${path} was not written: ${String(cause)}`,
    })
  }).pipe(Effect.catch((why) => Effect.sync(() => warn(why))))

interface Family {
  /** Its HELP and TYPE. */
  readonly head: Array<string>
  /** Values as text by name and labels. */
  readonly series: Map<string, string>
}

const familiesIn = (text: string): Map<string, Family> => {
  const families = new Map<string, Family>()
  for (const line of text.split("\n")) {
    if (line === "") continue
    const name = /^(?:# \w+ )?(\w+)/.exec(line)?.[1] ?? ""
    const family: Family = families.get(name) ?? { head: [], series: new Map() }
    families.set(name, family)
    const value = line.lastIndexOf(" ")
    if (line.startsWith("#")) family.head.push(line)
    else family.series.set(line.slice(0, value), line.slice(value + 1))
  }
  return families
}

/**
 * Adds the counts of an earlier text to the counters of this one, without what they counted before it (`included`). A
 * counter that began at zero with every run would not show how much a run added.
 */
export const withEarlierCounts = (text: string, earlier: string, included = ""): string => {
  const families = familiesIn(text)
  const alreadyAdded = familiesIn(included)
  for (const [name, before] of familiesIn(earlier)) {
    if (!name.endsWith("_total")) continue
    const family: Family = families.get(name) ?? { head: before.head, series: new Map() }
    families.set(name, family)
    for (const [series, value] of before.series) {
      const now = Number(family.series.get(series) ?? 0)
      const added = Number(alreadyAdded.get(name)?.series.get(series) ?? 0)
      family.series.set(series, String(now - added + Number(value)))
    }
  }
  return [...families.values()]
    .flatMap(({ head, series }) => [
      ...head,
      ...[...series].map(([labels, value]) => `${labels} ${value}`),
    ])
    .map((line) => `${line}\n`)
    .join("")
}
