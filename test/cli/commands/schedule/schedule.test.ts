// The scheduler as a process: what it answers while it runs, how it ends, and who takes over.
import { once } from "node:events"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Simulator, startSimulator } from "../../../../simulator/index.ts"
import type { LastRun } from "../../../../src/pipelines/run/lastRun.ts"
import { parseMetrics, sumOf } from "../../../support/prometheus.ts"
import { until } from "../../../support/until.ts"
import { start, vaulthouse } from "../../command.ts"

let cwd = ""
let simulator: Simulator
beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), "vaulthouse-schedule-"))
  simulator = await startSimulator({ days: 3, vaults: 2 })
  writeFileSync(join(cwd, yearly), "schedule:\n  hourly: 0 0 1 1 *\n  daily: 0 0 1 1 *\n")
})
afterAll(async () => {
  await simulator.close()
  rmSync(cwd, { recursive: true })
})

// What has run is not due again while a test looks, whatever the hour.
const yearly = "yearly.yaml"

const scheduler = (
  dataDir: string,
  { config = yearly, env = {} }: { config?: string; env?: Readonly<Record<string, string>> } = {},
) => {
  const args = ["schedule", "--base-url", simulator.url, "--data-dir", dataDir, "--config", config]
  const child = start([...args, "--listen", "127.0.0.1:0", "--no-progress"], { cwd, env })
  let said = ""
  child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()))
  const closed = once(child, "close")
  const says = async (pattern: RegExp): Promise<string> => {
    const found = await until(`it says ${String(pattern)}`, () => {
      const match = pattern.exec(said)
      if (match !== null || child.exitCode === null) return match
      throw new Error(`ended without ${String(pattern)}: ${said}`)
    })
    return found[1] ?? ""
  }
  return { child, closed, says, said: () => said }
}

it("prints the next ten runs of each group and runs nothing", async () => {
  const { code, stdout } = await vaulthouse(["schedule", "--dry-run", "--json"], { cwd })
  expect(code).toBe(0)
  const { groups } = JSON.parse(stdout) as {
    groups: ReadonlyArray<{ group: string; runs: ReadonlyArray<string> }>
  }
  expect(groups.map(({ group, runs }) => [group, runs.length])).toEqual([
    ["hourly", 10],
    ["daily", 10],
  ])
  expect(groups[0]?.runs[0]).toMatch(/:07:00\.000Z$/)
  const shown = await vaulthouse(["schedule", "--dry-run"], { cwd, columns: 80 })
  expect(shown.stdout).toMatch(/^daily \(.*[^]*\):\n {2}\d{4}-\d\d-\d\d 03:37:00 UTC$/m)
  expect(shown.stdout.split("\n").filter((line) => line.length > 80)).toEqual([])
  expect(simulator.requests().counts).toEqual({})
})

it("names the line of a cron expression it can't read", async () => {
  writeFileSync(join(cwd, "wrong.yaml"), "schedule:\n  hourly: every hour\n")
  const { code, stderr } = await vaulthouse(["schedule", "--config", "wrong.yaml"], { cwd })
  expect(code).toBe(2)
  expect(stderr).toContain("wrong.yaml:2")
  expect(stderr).toContain("`every hour` is not a cron expression such as `7 * * * *`, in UTC")
})

it.each([
  ["pipelines: [ratio_histroy, vaults]", "there is no pipeline `ratio_histroy`"],
  ["pipelines: [ratio_histroy]", "there is no pipeline `ratio_histroy`"],
  ["fields: { vaults.nonsense: x }", "vaults.nonsense"],
])("does not begin where the settings select what does not exist: %s", async (setting, wanted) => {
  writeFileSync(join(cwd, "selecting.yaml"), `${setting}\n`)
  const ends = ["--once", "--dry-run"].map((flag) =>
    vaulthouse(
      [
        "schedule",
        flag,
        "--config",
        "selecting.yaml",
        "--base-url",
        simulator.url,
        "--data-dir",
        "selecting",
      ],
      { cwd },
    ),
  )
  for (const { code, stderr } of await Promise.all(ends)) {
    expect(code).toBe(2)
    expect(stderr).toContain("selecting.yaml")
    expect(stderr).toContain(wanted)
  }
  expect(existsSync(join(cwd, "selecting"))).toBe(false)
})

it("--once that is stopped during its run is no success", async () => {
  simulator.patch({ latencyMs: 500 })
  const args = ["schedule", "--once", "--base-url", simulator.url, "--data-dir", "stopped"]
  const child = start(args, { cwd })
  await until("the run has begun", () => existsSync(join(cwd, "stopped/last-run.json")))
  child.kill("SIGTERM")
  expect(await once(child, "exit")).toEqual([130, null])
  simulator.patch({ latencyMs: 0 })
})

it("runs what is due, says how it is, and ends on SIGTERM", async () => {
  const { child, closed, says } = scheduler("watched")
  const url = await says(/listening on ([^\s"]+)/)
  expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ status: "ok" })
  await says(/(next run at)/)
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
  const metrics = parseMetrics(await (await fetch(`${url}/metrics`)).text())
  const counts = JSON.parse(readFileSync(join(cwd, "watched/last-run.json"), "utf8")) as {
    requests: number
    rows_inserted: number
  }
  expect(sumOf(metrics, "vaulthouse_requests_total")).toBe(counts.requests)
  expect(sumOf(metrics, "vaulthouse_rows_total")).toBe(counts.rows_inserted)
  expect(sumOf(metrics, "vaulthouse_runs_total", { outcome: "complete" })).toBe(1)
  expect(sumOf(metrics, "vaulthouse_runs_total")).toBe(1)
  const page = readFileSync(join(import.meta.dirname, "../../../../docs/monitoring.md"), "utf8")
  const rows = [...page.matchAll(/^\| `(vaulthouse_\w+)` \|([^|]*)\|/gm)]
  const documented = rows.map(([, name = "", labels = ""]) => {
    const names = [...labels.matchAll(/`(\w+)`/g)].map(([, label = ""]) => label)
    return [name, names.toSorted()]
  })
  const exported = [...metrics].map(([name, { samples }]) => {
    const names = samples.flatMap(({ labels }) => Object.keys(labels))
    return [name, [...new Set(names)].toSorted()]
  })
  expect(Object.fromEntries(documented)).toEqual({
    ...Object.fromEntries(exported),
    // There from the first retry on.
    vaulthouse_request_retries_total: ["endpoint"],
  })
  child.kill("SIGTERM")
  expect(await closed).toEqual([0, null])
  await says(/(schedule stopped)/)
})

it("knows how the last run of any process ended, in /readyz and in its metrics", async () => {
  const sync = async () => {
    const args = ["sync", "vaults", "--base-url", simulator.url, "--data-dir", "restarted"]
    return (await vaulthouse(args, { cwd })).code
  }
  simulator.patch({ faults: [{ kind: "contract-break", match: "tokenized_vault" }] })
  const began = Math.floor(Date.now() / 1000)
  expect(await sync()).not.toBe(0)
  simulator.patch({ faults: [] })
  const now = new Date().toISOString()
  writeFileSync(join(cwd, "restarted/schedule.json"), JSON.stringify({ hourly: now, daily: now }))
  const { child, says } = scheduler("restarted")
  const url = await says(/listening on ([^\s"]+)/)
  const ready = await fetch(`${url}/readyz`)
  expect(ready.status).toBe(503)
  expect(((await ready.json()) as { reason: string }).reason).toMatch(/\(sync vaults\): partial/)
  const metrics = async () => parseMetrics(await (await fetch(`${url}/metrics`)).text())
  const ended = (found: Awaited<ReturnType<typeof metrics>>, outcome: string) =>
    sumOf(found, "vaulthouse_last_run_timestamp_seconds", { outcome })
  const before = await metrics()
  expect(sumOf(before, "vaulthouse_runs_total")).toBe(0)
  expect(ended(before, "partial")).toBeGreaterThanOrEqual(began)
  expect(ended(before, "partial")).toBeLessThanOrEqual(Date.now() / 1000)
  expect(sumOf(before, "vaulthouse_quarantined")).toBe(1)
  expect(await sync()).toBe(0)
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
  const after = await metrics()
  expect(ended(after, "complete")).toBeGreaterThan(ended(before, "partial"))
  child.kill("SIGTERM")
  await once(child, "exit")
})

it("reads the file of the API key before each run, since it may be replaced", async () => {
  const [first, second] = ["first-admin-key", "second-admin-key"] as const
  const file = join(cwd, "api-key")
  const issue = (key: string): void => {
    writeFileSync(file, `${key}\n`)
    simulator.patch({ keys: { [key]: "admin" } })
  }
  issue(first)
  const config = "minutely.yaml"
  writeFileSync(
    join(cwd, config),
    `pipelines: [subaccounts]
schedule: { hourly: "* * * * *", daily: "* * * * *", jitterSeconds: 0 }
`,
  )
  const { child, closed, says, said } = scheduler("keyed", {
    config,
    env: { VAULTHOUSE_API_KEY_FILE: file },
  })
  await says(/(next run at)/)
  const issued = new Date().toISOString()
  issue(second)
  const last = await until("a run has begun since, and ended", () => {
    const run = JSON.parse(readFileSync(join(cwd, "keyed/last-run.json"), "utf8")) as LastRun
    return run.started_at > issued && run.finished_at !== null && run
  })
  expect(last).toMatchObject({ outcome: "complete", key_rejected: false })
  expect(last.requests).toBeGreaterThan(0)
  child.kill("SIGTERM")
  await closed
  for (const key of [first, second]) expect(said()).not.toContain(key)
})

it("lets one scheduler run; another takes over when the first is killed, one with --once does not wait", async () => {
  const first = scheduler("shared")
  await first.says(/(next run at)/)
  const second = scheduler("shared")
  expect(await second.says(/(process \d+ on \S+) schedules runs for/)).toContain(
    `process ${first.child.pid}`,
  )
  const third = ["schedule", "--once", "--base-url", simulator.url, "--data-dir", "shared"]
  const { code, stderr } = await vaulthouse(third, { cwd })
  expect(code).toBe(75)
  expect(stderr).toContain(`runs are scheduled by process ${first.child.pid}`)
  first.child.kill("SIGKILL")
  await second.says(/(next run at)/)
  second.child.kill("SIGTERM")
  expect(await once(second.child, "exit")).toEqual([0, null])
})

it("goes on where schedule.json can't be written, which --once fails for", async () => {
  const file = join(cwd, "unwritable/schedule.json")
  mkdirSync(file, { recursive: true })
  const { child, says } = scheduler("unwritable")
  expect(await says(/(Recording what has run in [^"]*)/)).toBe(
    `Recording what has run in ${file}: this is a folder, not a file. Until that is recorded, a scheduler that starts runs it again. The scheduler continues.`,
  )
  await says(/(next run at)/)
  child.kill("SIGTERM")
  expect(await once(child, "exit")).toEqual([0, null])
  const args = ["schedule", "--once", "--base-url", simulator.url, "--data-dir", "unwritable"]
  const { code, stderr } = await vaulthouse(args, { cwd })
  expect(code).toBe(1)
  expect(stderr).toContain("vaulthouse: recording what has run in")
})

it("--once says why a run failed, runs it again next time, and then says that nothing is due", async () => {
  const runDue = (url: string) =>
    vaulthouse(
      ["schedule", "--once", "--base-url", url, "--config", yearly, "--data-dir", "unreachable"],
      { cwd },
    )
  const failed = await runDue("http://127.0.0.1:1")
  expect(failed.code).not.toBe(0)
  expect(failed.stderr).toContain("127.0.0.1:1")
  expect(existsSync(join(cwd, "unreachable", "published"))).toBe(false)
  expect((await runDue(simulator.url)).code).toBe(0)
  expect(existsSync(join(cwd, "unreachable", "published"))).toBe(true)
  expect(await runDue(simulator.url)).toEqual({
    code: 0,
    stdout: "",
    stderr: expect.stringMatching(
      /^\{"timestamp":"[^"]+","level":"INFO","message":"schedule: nothing is due; next run at \d{4}-01-01 00:00:00 UTC"\}\n$/,
    ) as string,
  })
})
