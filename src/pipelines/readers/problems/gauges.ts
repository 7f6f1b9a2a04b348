// Sets the gauges from the files on disk (last-run.json, health.json, the data itself), so that they are right
// whenever they are read, whichever process ran last.
import { readdir, stat } from "node:fs/promises"
import { join } from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { SECONDS_PER_HOUR } from "../../../domain/values/time.ts"
import { gauge, type Labels } from "../../../domain/run/metrics.ts"
import { problemKinds } from "../../../domain/run/problem.ts"
import { readCurrent } from "../../../load/published/publishedFiles.ts"
import { type Health, readHealth } from "../../publication/health.ts"
import { readPostgresState } from "../../publication/postgres.ts"
import { type LastRun, readLastRun } from "../../run/lastRun.ts"
import { problemsOf } from "./problems.ts"

const setLastEnds = gauge(
  "vaulthouse_last_run_timestamp_seconds",
  "When the last run with this outcome ended",
)
const setDuration = gauge("vaulthouse_last_run_duration_seconds", "Duration of the last run")
const setRate = gauge(
  "vaulthouse_last_run_requests_per_second",
  "Requests that the last run sent, per second of its duration",
)
const setFailedChecks = gauge("vaulthouse_failed_checks", "Failed checks of the last run")
const setPublishedAt = gauge(
  "vaulthouse_published_timestamp_seconds",
  "When the published copy was made",
)
const setProblems = gauge("vaulthouse_problems", "What needs attention, by kind")
const setNewest = gauge(
  "vaulthouse_newest_fact_timestamp_seconds",
  "Event time of the newest fact of a series",
)
const setFurthestBehind = gauge(
  "vaulthouse_furthest_behind_timestamp_seconds",
  "Event time of the newest fact of the active vault that is furthest behind in a series",
)
const setTargets = gauge(
  "vaulthouse_freshness_target_seconds",
  "Age at which the newest fact of a series is stale",
)
const setGaps = gauge("vaulthouse_gaps", "Known gaps, open or permanent")
const setQuarantine = gauge("vaulthouse_quarantined", "Records and responses in quarantine")
const setDiskBytes = gauge("vaulthouse_disk_bytes", "Bytes on disk")

export const setGauges = Effect.fnUntraced(function* (dataDir: string) {
  const health = yield* readHealth(dataDir)
  const last = yield* readLastRun(dataDir)
  const problems = problemsOf(
    health,
    last,
    yield* Clock.currentTimeMillis,
    yield* readPostgresState(dataDir),
  )
  yield* setProblems(
    problemKinds.map((kind) => [{ kind }, problems.filter((each) => each.kind === kind).length]),
  )
  if (health !== undefined) yield* setFromHealth(health)
  yield* setFromLastRun(health, last)
  const published = (yield* Effect.promise(() => readCurrent(dataDir)))?.published_at
  if (published !== undefined) yield* setPublishedAt([[{}, secondsOf(published)]])
  yield* setDiskBytes(yield* Effect.promise(() => diskBytes(dataDir)))
})

const secondsOf = (instant: string): number => Date.parse(instant) / 1000

/** From health.json, and from last-run.json, which also has a run that could not update health.json. */
const setFromLastRun = Effect.fnUntraced(function* (
  health: Health | undefined,
  last: LastRun | undefined,
) {
  const ends = new Map<string, number>()
  const add = (outcome: string, at: string): void =>
    void ends.set(outcome, Math.max(ends.get(outcome) ?? 0, secondsOf(at)))
  for (const { outcome, ended_at } of health?.run_ends ?? []) add(outcome, ended_at)
  // Those of last-run.json are later: a run ends for the warehouse before it publishes.
  for (const [outcome, at] of Object.entries(last?.ends ?? {})) add(outcome, at)
  yield* setLastEnds([...ends].map(([outcome, at]) => [{ outcome }, at]))
  if (last?.state !== "ended") return
  const { seconds, requests, failed_checks } = last
  yield* setDuration(seconds === null ? [] : [[{}, seconds]])
  const isRated = seconds !== null && requests !== null && seconds > 0
  yield* setRate(isRated ? [[{}, requests / seconds]] : [])
  const failed = (severity: string) =>
    failed_checks.filter((check) => check.severity === severity).length
  yield* setFailedChecks(["error", "warn"].map((severity) => [{ severity }, failed(severity)]))
})

const setFromHealth = Effect.fnUntraced(function* ({ freshness, gaps, quarantine }: Health) {
  const subjects = Map.groupBy(freshness, ({ subject }) => subject)
  const times = [...subjects].flatMap(([series, rows]) => {
    const facts = rows.flatMap(({ newest_at }) => (newest_at === undefined ? [] : [newest_at]))
    const sorted = facts.map(secondsOf).toSorted((one, other) => one - other)
    const [behind] = sorted
    return behind === undefined ? [] : [{ series, behind, newest: sorted.at(-1) ?? behind }]
  })
  yield* setNewest(times.map(({ series, newest }) => [{ series }, newest]))
  yield* setFurthestBehind(times.map(({ series, behind }) => [{ series }, behind]))
  yield* setTargets(
    [...subjects].map(([series, [row]]) => [
      { series },
      (row?.target_hours ?? 0) * SECONDS_PER_HOUR,
    ]),
  )
  // With zeros, so that the first gap is a change of the value.
  const pipelines = [...new Set([...freshness, ...gaps, ...quarantine].map((row) => row.pipeline))]
  yield* setGaps(
    pipelines.flatMap((pipeline) =>
      (["open", "permanent"] as const).map((state) => [
        { pipeline, state },
        gaps.find((row) => row.pipeline === pipeline && row.state === state)?.gaps ?? 0,
      ]),
    ),
  )
  yield* setQuarantine(
    pipelines.map((pipeline) => [
      { pipeline },
      quarantine.find((row) => row.pipeline === pipeline)?.entries ?? 0,
    ]),
  )
})

const parts = {
  archive: ["raw"],
  parquet: ["parquet"],
  published: ["published"],
  warehouse: ["vaulthouse.duckdb", "vaulthouse.duckdb.wal", "vaulthouse.duckdb.doublewrite"],
} as const

const diskBytes = (dataDir: string) =>
  Promise.all(
    Object.entries(parts).map(async ([part, paths]): Promise<readonly [Labels, number]> => {
      const sizes = await Promise.all(paths.map((path) => bytesOf(join(dataDir, path))))
      return [{ part }, sizes.reduce((sum, bytes) => sum + bytes, 0)]
    }),
  )

/**
 * Bytes of a file, or of all files below a folder; 0 if it does not exist. A file with several hard links counts once,
 * and symbolic links do not count.
 */
const bytesOf = async (path: string): Promise<number> => {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) return 0
  if (!found.isDirectory()) return found.size / found.nlink
  const entries = await readdir(path, { withFileTypes: true }).catch(() => [])
  const sizes = await Promise.all(
    entries.filter((entry) => !entry.isSymbolicLink()).map(({ name }) => bytesOf(join(path, name))),
  )
  return sizes.reduce((sum, bytes) => sum + bytes, 0)
}
