// The metrics file of a run: what the run counted, what the warehouse is like, as node_exporter reads it.
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Simulator, startSimulator } from "../../../simulator/index.ts"
import { withEarlierCounts, writeMetricsFile } from "../../../src/cli/telemetry/prometheus.ts"
import { countRun } from "../../../src/pipelines/run/metrics.ts"
import { FlushedDisk } from "../../support/disk/flushedDisk.ts"
import { parseMetrics, sumOf } from "../../support/prometheus.ts"
import { vaulthouse } from "../command.ts"

let cwd = ""
let simulator: Simulator
beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), "vaulthouse-metrics-"))
  mkdirSync(join(cwd, "textfile"))
  simulator = await startSimulator({
    days: 3,
    vaults: 2,
    faults: [
      { kind: "rate-limit", match: "historical_apy", count: 2, retryAfterSeconds: 0 },
      { kind: "contract-break", match: "fields=ratio", count: 1 },
    ],
  })
})
afterAll(async () => {
  await simulator.close()
  rmSync(cwd, { recursive: true })
})

const sync = (...more: ReadonlyArray<string>) =>
  vaulthouse(
    ["sync", "ratio_history", "apy_history", "--base-url", simulator.url, "--json", ...more],
    { cwd },
  )

const file = () => join(cwd, "textfile/vaulthouse.prom")
const metrics = () => parseMetrics(readFileSync(file(), "utf8"))

interface Totals {
  readonly requests: number
  readonly rows_inserted: number
}

it("has what the run counted, which goes on with the next run, and what the warehouse is like", async () => {
  const first = await sync("--metrics-file", "textfile/vaulthouse.prom")
  expect(first.code).toBe(3)
  const summary = JSON.parse(first.stdout) as Totals
  const found = metrics()
  expect(sumOf(found, "vaulthouse_requests_total")).toBe(summary.requests)
  expect(sumOf(found, "vaulthouse_requests_total", { status: "429" })).toBe(2)
  expect(sumOf(found, "vaulthouse_request_retries_total")).toBe(2)
  expect(sumOf(found, "vaulthouse_rows_total", { change: "inserted" })).toBe(summary.rows_inserted)
  expect(sumOf(found, "vaulthouse_runs_total", { outcome: "partial" })).toBe(1)
  expect(sumOf(found, "vaulthouse_gaps", { state: "open" })).toBe(1)
  expect(sumOf(found, "vaulthouse_quarantined", { pipeline: "ratio_history" })).toBe(1)
  expect(sumOf(found, "vaulthouse_request_limit_per_second")).toBeLessThan(Infinity)
  expect(sumOf(found, "vaulthouse_last_run_requests_per_second")).toBeGreaterThan(0)
  const { runs } = JSON.parse((await vaulthouse(["runs", "--json"], { cwd })).stdout) as {
    runs: ReadonlyArray<Totals>
  }
  expect(runs[0]).toMatchObject({
    requests: summary.requests,
    rows_inserted: summary.rows_inserted,
  })

  // A run ends for the warehouse before it publishes; its end is the same instant in all later files.
  const partial = { outcome: "partial" }
  const end = sumOf(found, "vaulthouse_last_run_timestamp_seconds", partial)
  expect(end).toBeGreaterThan(0)
  const second = await sync("--metrics-file", "textfile/vaulthouse.prom")
  expect(sumOf(metrics(), "vaulthouse_last_run_timestamp_seconds", partial)).toBe(end)
  const both = metrics()
  expect(sumOf(both, "vaulthouse_requests_total")).toBe(
    summary.requests + (JSON.parse(second.stdout) as Totals).requests,
  )
  expect(sumOf(both, "vaulthouse_runs_total", { outcome: "partial" })).toBe(1)
  expect(sumOf(both, "vaulthouse_runs_total", { outcome: "complete" })).toBe(1)
  expect(sumOf(both, "vaulthouse_gaps", { state: "open" })).toBe(0)
  expect(sumOf(both, "vaulthouse_quarantined")).toBe(0)
  // It starts from the limit that the first run has met.
  expect(sumOf(both, "vaulthouse_request_limit_per_second")).toBeLessThan(Infinity)
  const ends = both.get("vaulthouse_last_run_timestamp_seconds")?.samples ?? []
  expect(ends.map(({ labels }) => labels["outcome"])).toEqual(["complete", "partial"])
})

it("can be read by another user, and leaves nothing else in the folder", () => {
  expect(statSync(file()).mode & 0o777).toBe(0o644)
  expect(readdirSync(join(cwd, "textfile"))).toEqual(["vaulthouse.prom"])
})

it("is on the disk once it is written", () =>
  Effect.gen(function* () {
    const disk = yield* FlushedDisk.watched
    yield* writeMetricsFile(join(cwd, "textfile/flushed.prom"), cwd)
    const written = readFileSync(join(cwd, "textfile/flushed.prom"))
    expect(disk.left(join(cwd, "textfile"), "flushed.prom")?.equals(written)).toBe(true)
  }).pipe(Effect.scoped, Effect.runPromise))

it("is written after a run that failed too", async () => {
  const { code } = await vaulthouse(
    ["sync", "--base-url", "http://127.0.0.1:1", "--metrics-file", file()],
    { cwd },
  )
  expect(code).not.toBe(0)
  expect(sumOf(metrics(), "vaulthouse_runs_total", { outcome: "failed" })).toBe(1)
})

it("costs no run when it can't be written", async () => {
  const { code, stderr } = await sync("--metrics-file", "nowhere/vaulthouse.prom")
  expect(code).toBe(0)
  expect(stderr).toMatch(
    /^warning: the metrics file .*nowhere\/vaulthouse\.prom was not written: Error: ENOENT/m,
  )
})

it("counts each run of a scheduler once, beside those of other processes", async () => {
  const path = join(cwd, "textfile/scheduler.prom")
  const runs = () => sumOf(parseMetrics(readFileSync(path, "utf8")), "vaulthouse_runs_total")
  // As of a process of its own: tests beside this one count runs too.
  const counters = new Map()
  const run = () =>
    Effect.andThen(countRun("complete"), writeMetricsFile(path, cwd)).pipe(
      Effect.provideService(Metric.MetricRegistry, counters),
      Effect.runPromise,
    )
  for (const count of [1, 2, 3]) {
    await run()
    expect(runs()).toBe(count)
  }
  const ofAnother = readFileSync(path, "utf8").replace(
    '{outcome="complete"} 3',
    '{outcome="complete"} 5',
  )
  writeFileSync(path, ofAnother)
  await run()
  expect(runs()).toBe(6)
})

it("adds counters only, and keeps those that the later run has not counted", () => {
  const text = (...lines: ReadonlyArray<string>) => lines.map((line) => `${line}\n`).join("")
  const head = (name: string, type: string) => [
    `# HELP ${name} What it is`,
    `# TYPE ${name} ${type}`,
  ]
  const earlier = text(
    ...head("a_total", "counter"),
    'a_total{path="x y",n="1"} 5',
    'a_total{path="gone"} 2',
    ...head("b_total", "counter"),
    "b_total 7",
    ...head("c", "gauge"),
    "c 9",
  )
  const later = text(
    ...head("c", "gauge"),
    "c 1",
    ...head("a_total", "counter"),
    'a_total{path="x y",n="1"} 3',
  )
  expect(withEarlierCounts(later, earlier)).toBe(
    text(
      ...head("c", "gauge"),
      "c 1",
      ...head("a_total", "counter"),
      'a_total{path="x y",n="1"} 8',
      'a_total{path="gone"} 2',
      ...head("b_total", "counter"),
      "b_total 7",
    ),
  )
  expect(withEarlierCounts(later, "not metrics")).toBe(later)
})
