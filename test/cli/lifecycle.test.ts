// Runs and queries that are stopped, killed or wait, and what `status` says of them.
import { once } from "node:events"
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Simulator, startSimulator } from "../../simulator/index.ts"
import { acquireLock } from "../../src/load/lock/LockFile.ts"
import { processorSeconds } from "../support/processorSeconds.ts"
import { until } from "../support/until.ts"
import { start, vaulthouse } from "./command.ts"

let cwd = ""
let simulator: Simulator
beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), "vaulthouse-lifecycle-"))
  simulator = await startSimulator({ now: "2026-06-01T12:00:00Z", days: 3, vaults: 2 })
  const ended = await vaulthouse(["sync", "vaults", "--base-url", simulator.url], { cwd })
  expect(ended.code).toBe(0)
})
afterAll(async () => {
  await simulator.close()
  rmSync(cwd, { recursive: true })
})

const status = async (dataDir: string) => {
  const { code, stdout } = await vaulthouse(["status", "--data-dir", dataDir], { cwd })
  expect(code).toBe(0)
  return stdout
}

const counting = "from range(1_000_000_000_000)"
const endless = `select count(*) ${counting}`

describe("a query", () => {
  it.each(["SIGTERM", "SIGINT"] as const)("is stopped by %s", async (signal) => {
    // Some rows, so that it is seen to run, then none for ever.
    const child = start(["query", `${counting} where range < 200_000`], { cwd })
    const stderr = text(child.stderr)
    await once(child.stdout, "data")
    child.stdout.resume()
    const before = processorSeconds(child.pid)
    await until("it runs on", () => processorSeconds(child.pid) > before + 1)
    child.kill(signal)
    expect(await once(child, "exit")).toEqual([130, null])
    expect(await stderr).toBe("vaulthouse: stopped\n")
  })

  it("is stopped by --timeout", async () => {
    const { code, stderr } = await vaulthouse(["query", endless, "--timeout", "300ms"], { cwd })
    expect(code).toBe(1)
    expect(stderr).toContain("the query was stopped after 0.3 s.")
    const wrong = await vaulthouse(["query", endless, "--timeout", "soon"], { cwd })
    expect(wrong).toMatchObject({ code: 2, stdout: "" })
    expect(wrong.stderr).toContain("--timeout soon is not a duration")
  })

  it("has the memory limit of the configuration", async () => {
    writeFileSync(join(cwd, "small.yaml"), "queryMemoryLimit: 64MiB\n")
    // A list is kept in memory whole.
    const listed = "select length(list(range)) as n from range(20_000_000)"
    const { stdout } = await vaulthouse(["query", listed], { cwd })
    expect(stdout).toBe("n\n20000000\n")
    const limited = await vaulthouse(["query", listed, "--config", "small.yaml"], { cwd })
    expect(limited).toMatchObject({ code: 1, stderr: expect.stringMatching(/memory/) })
    const sorted =
      "select max(n) from (select range as n, row_number() over (order by hash(range)) from range(3_000_000))"
    const spilled = await vaulthouse(["query", sorted, "--config", "small.yaml"], { cwd })
    expect(spilled).toMatchObject({ code: 0, stderr: "" })
  })

  it("may begin with a comment", async () => {
    const { stdout } = await vaulthouse(["query", "-- how many?\nselect 1 as n"], { cwd })
    expect(stdout).toBe("n\n1\n")
  })
})

describe("a run that waits for the warehouse", () => {
  it("says so, and is stopped by the first signal", async () => {
    const dataDir = join(cwd, "data")
    const lock = await acquireLock(dataDir, new Date().toISOString())
    const args = ["sync", "--wait", "--base-url", simulator.url, "--log-format", "pretty"]
    const child = start(args, { cwd })
    let stderr = ""
    child.stderr.on("data", (chunk) => (stderr += String(chunk)))
    await until("it waits", () => stderr !== "")
    expect(stderr.replace(/^[\d-]+ [\d:]+ UTC {2}/, "")).toBe(
      `waiting for the warehouse, which process ${process.pid} on ${JSON.parse(readFileSync(join(dataDir, "writer.json"), "utf8")).host} holds\n`,
    )
    child.kill("SIGTERM")
    expect(await once(child, "exit")).toEqual([130, null])
    lock.release()
  })
})

/** What ops.runs says of a run that was stopped or killed, after a later one. */
const firstRun = async (dataDir: string) => {
  const ended = await vaulthouse(
    ["sync", "vaults", "--base-url", simulator.url, "--data-dir", dataDir],
    { cwd },
  )
  expect(ended.code).toBe(0)
  const sql = `select outcome, finished_at is not null as has_end,
      (tasks, requests, rows_inserted, rows_revised) =
        (select (count(*), sum(requests), sum(rows_inserted), sum(rows_revised))
         from ops.tasks where run_id = first.run_id) as has_counts
    from ops.runs first order by run_id limit 1`
  const args = ["query", sql, "--data-dir", dataDir, "--format", "json"]
  return JSON.parse((await vaulthouse(args, { cwd })).stdout) as unknown
}

const whole = { has_end: true, has_counts: true }

/** Once some tasks are committed and others go on. */
const underWay = async (): Promise<void> => {
  const before = simulator.requests().total
  await until("requests are sent", () => simulator.requests().total > before + 12)
}

describe("status", () => {
  it("knows a first run that is running, then one that was killed, before anything is published", async () => {
    simulator.patch({ latencyMs: 400 })
    const child = start(["sync", "--base-url", simulator.url, "--data-dir", "killed"], { cwd })
    await until("it has begun", () => existsSync(join(cwd, "killed/last-run.json")))
    const running = await status("killed")
    expect(running).toMatch(/^Last run +\S+\s+\(sync\):\s+running\s+since\s+/m)
    expect(running).toMatch(/^Published +nothing yet$/m)
    await underWay()
    child.kill("SIGKILL")
    await once(child, "exit")
    simulator.patch({ latencyMs: 0 })
    expect(await status("killed")).toMatch(
      /^Last run +\S+\s+\(sync\):\s+did\s+not\s+end;\s+its\s+process\s+\d+/m,
    )
    expect(await firstRun("killed")).toEqual([{ outcome: "killed", ...whole }])
    expect(await status("killed")).toMatch(/^Last run +\S+\s+\(sync\s+vaults\):\s+complete,\s+/m)
  })

  it("knows a run that SIGHUP ended at once, as a kill does", async () => {
    simulator.patch({ latencyMs: 400 })
    const child = start(["sync", "--base-url", simulator.url, "--data-dir", "hung-up"], { cwd })
    await underWay()
    child.kill("SIGHUP")
    // For a shell, 129.
    expect(await once(child, "exit")).toEqual([null, "SIGHUP"])
    simulator.patch({ latencyMs: 0 })
    expect(await firstRun("hung-up")).toEqual([{ outcome: "killed", ...whole }])
  })

  it("knows nothing of a run that SIGTERM ended before it began", async () => {
    const child = start(["sync", "--base-url", simulator.url, "--data-dir", "early"], { cwd })
    child.kill("SIGTERM")
    // For a shell, 143.
    expect(await once(child, "exit")).toEqual([null, "SIGTERM"])
    expect(existsSync(join(cwd, "early"))).toBe(false)
  })

  it("knows a run that was stopped", async () => {
    simulator.patch({ latencyMs: 400 })
    const child = start(["sync", "--base-url", simulator.url, "--data-dir", "stopped"], { cwd })
    await underWay()
    child.kill("SIGTERM")
    expect(await once(child, "exit")).toEqual([130, null])
    simulator.patch({ latencyMs: 0 })
    expect(await status("stopped")).toMatch(/^Last run +\S+\s+\(sync\):\s+stopped,\s+ended\s+/m)
    const { stdout } = await vaulthouse(["status", "--json", "--data-dir", "stopped"], { cwd })
    const { last_run } = JSON.parse(stdout) as { last_run: object }
    expect(last_run).toMatchObject({ outcome: "stopped", requests: null, rows_inserted: null })
    expect(await firstRun("stopped")).toEqual([{ outcome: "stopped", ...whole }])
  })

  it("knows a run that could not open the warehouse, with what to do", async () => {
    const args = ["sync", "vaults", "--base-url", simulator.url, "--data-dir", "corrupt"]
    expect((await vaulthouse([...args, "--no-publish"], { cwd })).code).toBe(0)
    writeFileSync(join(cwd, "corrupt/vaulthouse.duckdb"), "not a database")
    const { code, stderr } = await vaulthouse(args, { cwd })
    expect(code).toBe(1)
    expect(stderr).toContain(
      "run `vaulthouse replay`: it rebuilds every table that is filled from responses",
    )
    expect(await status("corrupt")).toMatch(
      /^Last run +\S+\s+\(sync\s+vaults\):\s+failed,\s+ended\s+/m,
    )
  })

  it("shows the checks that failed, with what to do", async () => {
    const file = join(cwd, "data/health.json")
    const health = JSON.parse(readFileSync(file, "utf8")) as object
    const failed_checks = [{ name: "core.fees.unique_key", severity: "error", failures: 7 }]
    writeFileSync(file, JSON.stringify({ ...health, failed_checks, freshness: [] }))
    const shown = await status("data")
    expect(shown).toMatch(/^Health +needs attention: 1 failed check$/m)
    expect(shown).toContain("  The check core.fees.unique_key found 7 wrong rows.\n")
    expect(shown).toContain("`vaulthouse check --name core.fees.unique_key` shows them.")
  })

  it("knows a warehouse of which nothing was published", async () => {
    const args = ["sync", "vaults", "--base-url", simulator.url, "--data-dir", "private"]
    expect((await vaulthouse([...args, "--no-publish"], { cwd })).code).toBe(0)
    const shown = await status("private")
    expect(shown).toMatch(/^Health +good: nothing needs attention$/m)
    expect(shown).toMatch(/^Published +nothing yet; run `vaulthouse publish`$/m)
  })
})

// Ctrl-C reaches the whole process group, and `systemctl stop` all processes of the service.
describe("a signal for all processes of a command that publishes", () => {
  it.each([
    ["SIGINT", "sync", "begins"],
    ["SIGINT", "publish", "copies"],
    ["SIGTERM", "sync", "copies"],
    ["SIGTERM", "publish", "begins"],
  ] as const)("%s stops %s while the process that makes the copy %s", async (...given) => {
    const [signal, command, moment] = given
    const dataDir = given.join("-")
    const args = ["--data-dir", dataDir, "--base-url", simulator.url]
    if (command === "publish") {
      expect((await vaulthouse(["sync", "vaults", "--no-publish", ...args], { cwd })).code).toBe(0)
    }
    const [isThere, mayGoOn] = [join(cwd, `${dataDir}.is-there`), join(cwd, `${dataDir}.go-on`)]
    const preloaded = join(cwd, `${dataDir}.cjs`)
    // The process waits at its beginning, or when it copies, as if the database were large.
    writeFileSync(
      preloaded,
      `const fs = require("node:fs")
      const { copyFileSync } = fs
      const wait = () => {
        fs.writeFileSync(${JSON.stringify(isThere)}, "")
        const nothing = new Int32Array(new SharedArrayBuffer(4))
        while (!fs.existsSync(${JSON.stringify(mayGoOn)})) Atomics.wait(nothing, 0, 0, 5)
      }
      if (process.execArgv.includes("-e")) {
        if (${moment === "begins"}) wait()
        fs.copyFileSync = (...paths) => {
          wait()
          copyFileSync(...paths)
        }
      }`,
    )
    const child = start(
      command === "sync" ? ["sync", "vaults", ...args] : ["publish", "--data-dir", dataDir],
      { cwd, env: { NODE_OPTIONS: `--require=${preloaded}` } },
      { isGroup: true },
    )
    const stderr = text(child.stderr)
    await until("the copy is being made", () => existsSync(isThere))
    process.kill(-(child.pid ?? 0), signal)
    writeFileSync(mayGoOn, "")
    expect([await once(child, "exit"), (await stderr).split("\n").at(-2)]).toEqual([
      [130, null],
      "vaulthouse: stopped; what was committed stays, and the next run continues from there",
    ])
    const record = JSON.parse(readFileSync(join(cwd, dataDir, "last-run.json"), "utf8")) as object
    expect(record).toMatchObject({ outcome: command === "sync" ? "stopped" : "complete" })
    // One that has begun to copy completes the publication.
    const published = join(cwd, dataDir, "published/current.json")
    expect(existsSync(published)).toBe(moment === "copies")
  })
})

it("publish gives the files the mode of the configuration, as sync does", async () => {
  writeFileSync(join(cwd, "shared.yaml"), "publishedMode: 0640\n")
  const { code } = await vaulthouse(["publish", "--all", "--config", "shared.yaml"], { cwd })
  expect(code).toBe(0)
  const { mode } = statSync(join(cwd, "data", "published", "vaulthouse.duckdb"))
  expect((mode & 0o777).toString(8)).toBe("640")
})
