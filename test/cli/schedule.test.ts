// The scheduler as a process: what it answers while it runs, how it ends, and who takes over.
import { once } from "node:events"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Simulator, startSimulator } from "../../simulator/index.ts"
import { start, vaulthouse } from "./command.ts"

let cwd = ""
let simulator: Simulator
beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), "vaulthouse-schedule-"))
  simulator = await startSimulator({ days: 3, vaults: 2 })
})
afterAll(async () => {
  await simulator.close()
  rmSync(cwd, { recursive: true })
})

const scheduler = (dataDir: string) => {
  const args = ["schedule", "--base-url", simulator.url, "--data-dir", dataDir]
  const child = start([...args, "--listen", "127.0.0.1:0", "--no-progress"], { cwd })
  let said = ""
  child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()))
  const says = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const found = pattern.exec(said)
      if (found !== null) return found[1] ?? ""
      if (child.exitCode !== null) throw new Error(`ended without ${String(pattern)}: ${said}`)
      await new Promise((later) => setTimeout(later, 20))
    }
  }
  return { child, says }
}

it("prints the next ten runs of each group and runs nothing", async () => {
  const { code, stdout } = await vaulthouse(["schedule", "--dry-run", "--json"], { cwd })
  expect(code).toBe(0)
  const groups = JSON.parse(stdout) as ReadonlyArray<{ group: string; runs: ReadonlyArray<string> }>
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

it("runs what is due, says how it is, and ends on SIGTERM", async () => {
  const { child, says } = scheduler("watched")
  const url = await says(/listening on (\S+)/)
  expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ status: "ok" })
  await says(/(next run at)/)
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
  const metrics = await (await fetch(`${url}/metrics`)).text()
  const counts = JSON.parse(readFileSync(join(cwd, "watched/last-run.json"), "utf8")) as {
    requests: number
  }
  const sent = [...metrics.matchAll(/^vaulthouse_requests_total\{.*\} (\d+)$/gm)]
  expect(sent.reduce((sum, [, value]) => sum + Number(value), 0)).toBe(counts.requests)
  expect(metrics).toContain('vaulthouse_runs_total{outcome="complete"} 1')
  const operations = readFileSync(join(import.meta.dirname, "../../docs/operations.md"), "utf8")
  const documented = [...operations.matchAll(/^\| `(vaulthouse_\w+)` \|/gm)].map(([, name]) => name)
  const exported = [...metrics.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name)
  expect(new Set(documented)).toEqual(new Set(exported))
  const startedAt = Date.now()
  child.kill("SIGTERM")
  expect(await once(child, "exit")).toEqual([0, null])
  expect(Date.now() - startedAt).toBeLessThan(10_000)
  await says(/(schedule stopped)/)
})

it("has the last run of an earlier process in its metrics from the start", async () => {
  const args = ["sync", "vaults", "--base-url", simulator.url, "--data-dir", "restarted"]
  expect((await vaulthouse(args, { cwd })).code).toBe(0)
  simulator.patch({ latencyMs: 1000 })
  const { child, says } = scheduler("restarted")
  const url = await says(/listening on (\S+)/)
  const metrics = await (await fetch(`${url}/metrics`)).text()
  child.kill("SIGTERM")
  await once(child, "exit")
  simulator.patch({ latencyMs: 0 })
  expect(metrics).not.toContain("vaulthouse_runs_total{")
  expect(metrics).toMatch(/^vaulthouse_last_run_timestamp_seconds\{outcome="complete"\} \d/m)
  expect(metrics).toMatch(/^vaulthouse_last_run_duration_seconds \d/m)
})

it("lets one scheduler run; another takes over when the first is killed", async () => {
  const first = scheduler("shared")
  await first.says(/(next run at)/)
  const second = scheduler("shared")
  expect(await second.says(/(process \d+ on \S+) schedules runs for/)).toContain(
    `process ${first.child.pid}`,
  )
  first.child.kill("SIGKILL")
  await second.says(/(next run at)/)
  second.child.kill("SIGTERM")
  expect(await once(second.child, "exit")).toEqual([0, null])
})

it("--once says why a run failed, runs it again next time, and then says that nothing is due", async () => {
  writeFileSync(join(cwd, "yearly.yaml"), "schedule:\n  hourly: 0 0 1 1 *\n  daily: 0 0 1 1 *\n")
  const runDue = (url: string) =>
    vaulthouse(
      [
        "schedule",
        "--once",
        "--base-url",
        url,
        "--config",
        "yearly.yaml",
        "--data-dir",
        "unreachable",
      ],
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
      /^vaulthouse: nothing is due; next run at \d{4}-01-01 00:00:00 UTC\n$/,
    ) as string,
  })
})
