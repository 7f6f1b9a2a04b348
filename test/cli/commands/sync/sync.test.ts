// `sync` as a person or a scheduler runs it: what it prints where, and every way a run can end.
import { once } from "node:events"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { type Simulator, startSimulator } from "../../../../simulator/index.ts"
import { pipelineNames } from "../../../../src/pipelines/pipelines.ts"
import { lines, start, unwrapped, vaulthouse } from "../../command.ts"

let cwd = ""
let simulator: Simulator
beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), "vaulthouse-sync-"))
  simulator = await startSimulator({ now: "2026-06-01T12:00:00Z", days: 5, vaults: 2 })
})
afterAll(async () => {
  await simulator.close()
  rmSync(cwd, { recursive: true })
})

const sync = (dataDir: string, ...args: ReadonlyArray<string>) =>
  vaulthouse(["sync", "--base-url", simulator.url, "--data-dir", dataDir, ...args], { cwd })

const objects = (output: string) =>
  lines(output).map((line) => JSON.parse(line) as Record<string, unknown>)

describe("a run", () => {
  it("plans without a request, lands everything, and then finds nothing new", async () => {
    const planned = await sync("whole", "--plan")
    expect(planned).toMatchObject({ code: 0, stderr: "" })
    expect(planned.stdout).toMatch(/^pipeline +tasks +requests$/m)
    expect(planned.stdout).toContain("No vault is known yet")
    // Pipelines to read have a row; the rest are listed with a reason or as idle.
    expect(planned.stdout).toMatch(/^vaults +1 +about 2$/m)
    expect(planned.stdout).toMatch(/^ {2}subaccounts, .*: needs an API key/m)
    expect(planned.stdout).toMatch(/^Nothing to read yet: .*\bratio_history, /m)
    for (const name of pipelineNames) expect(planned.stdout).toMatch(new RegExp(`\\b${name}\\b`))
    expect(simulator.requests().total).toBe(0)

    const first = await sync("whole")
    expect(first.code).toBe(0)
    // As a row, or among what was skipped or had nothing to read.
    expect(first.stdout).toMatch(/^ratio_history +[\d,]+ +0 +\d+$/m)
    expect(lines(first.stdout).length).toBeLessThan(24)
    expect(first.stdout).toMatch(
      new RegExp(
        `^Complete: [\\d,]+ new rows, 0 revised .* Published in ${join(cwd, "whole")}`,
        "m",
      ),
    )
    // Standard error is no terminal: progress is a log.
    const news = objects(first.stderr)
    const ofPipelines = news.filter(({ kind }) => kind === "finished")
    expect(ofPipelines.length).toBeGreaterThan(10)
    expect(new Set(ofPipelines.map(({ pipeline }) => pipeline)).size).toBe(ofPipelines.length)
    expect(news.length).toBeLessThan(ofPipelines.length + 10)
    expect(news.at(-1)).toMatchObject({ kind: "ended", level: "INFO", outcome: "complete" })
    expect(new Set(news.map(({ run_id }) => run_id)).size).toBe(1)
    expect(news.filter(({ timestamp }) => Number.isNaN(Date.parse(String(timestamp))))).toEqual([])
    expect(first.stdout).not.toContain(`"kind"`)

    const before = simulator.requests().total
    const again = await sync("whole", "--plan", "--json")
    const plan = JSON.parse(again.stdout) as { requests: number; pipelines: ReadonlyArray<unknown> }
    expect(lines(again.stdout)).toHaveLength(1)
    expect(plan.pipelines).toHaveLength(pipelineNames.length)
    expect(plan.requests).toBeGreaterThan(0)
    expect(simulator.requests().total).toBe(before)

    const ranged = await sync("whole", "--plan", "--since", "2026-05-30", "--until", "2026-05-31")
    expect(unwrapped(ranged.stdout)).toContain(
      "--since does not limit pnl_history. --until does not limit pnl_history, apy_history, audit_log. About",
    )
    expect(again.stdout + planned.stdout).not.toMatch(/does not limit|not_limited/)

    const second = await sync("whole", "--log-format", "pretty")
    expect(second.code).toBe(0)
    expect(second.stdout).toContain("Nothing new (")
    const log = lines(second.stderr)
    expect(log.length).toBeLessThan(pipelineNames.length)
    expect(log.filter((line) => !/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC {2}\w+/.test(line))).toEqual(
      [],
    )
    expect(log.find((line) => line.includes("ratio_history:"))).toMatch(/nothing new, \d+ requests/)
    expect(log.at(-1)).toMatch(/ {2}sync: complete: nothing new, \d+ requests, [\d.]+ s$/)
  })

  it("prints one line of JSON, and no progress with --no-progress", async () => {
    const { code, stdout, stderr } = await sync("json", "vaults", "--json", "--no-progress")
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(lines(stdout)).toHaveLength(1)
    const summary = JSON.parse(stdout) as Record<string, unknown>
    expect(summary).toMatchObject({
      outcome: "complete",
      nothing_new: false,
      published: true,
      pipelines: [{ name: "vaults" }],
    })
    // Every report gives the run the same duration.
    const report = async (...args: ReadonlyArray<string>) =>
      JSON.parse((await vaulthouse([...args, "--data-dir", "json"], { cwd })).stdout) as unknown
    const seconds = summary["seconds"] as number
    expect(await report("status", "--json")).toMatchObject({ last_run: { seconds } })
    expect(await report("runs", "--json")).toMatchObject({
      runs: [{ seconds: Math.round(seconds * 10) / 10 }],
    })
  })
})

describe("a service in trouble", () => {
  afterEach(() => simulator.patch({ faults: [] }))

  it("an invalid response makes a partial run, completed by the next", async () => {
    simulator.patch({ faults: [{ kind: "contract-break", match: "fields=ratio", count: 1 }] })
    const partial = await sync("partial", "ratio_history", "--no-publish")
    expect(partial.code).toBe(3)
    expect(partial.stdout).toContain("Errors in 1 task:\n  ratio_history: ")
    expect(partial.stdout).toContain("Partial: some tasks failed, the rest landed")
    const status = await vaulthouse(["status", "--all", "--data-dir", "partial"], { cwd })
    expect(unwrapped(status.stdout)).toContain(": partial, ended ")
    expect(status.stdout).toContain("  ratio_history has 1 entry in quarantine")
    // A run that reads other things is as strict as its owner says.
    expect(await sync("partial", "vaults", "--no-publish")).toMatchObject({ code: 0 })
    expect(await sync("partial", "vaults", "--no-publish", "--fail-on", "checks")).toMatchObject({
      code: 0,
    })
    const strict = await sync(
      "partial",
      "vaults",
      "--no-publish",
      "--fail-on",
      "checks,stale",
      "--fail-on=gaps",
    )
    expect(strict.code).toBe(3)
    expect(strict.stderr).toContain("vaulthouse: fail-on gaps: 1 pipeline with gaps\n")
    // The service's history ended in June.
    expect(strict.stderr).toMatch(/^vaulthouse: fail-on stale: \d+ stale series$/m)
    expect(await sync("partial", "vaults", "--no-publish", "--fail-on", "stale")).toMatchObject({
      code: 4,
    })
    expect(await sync("partial", "vaults", "--fail-on", "gap")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--fail-on: `gap` is not one of") as string,
    })
    expect(await sync("partial", "ratio_history", "--no-publish")).toMatchObject({ code: 0 })
  })

  it("a response no pipeline can use fails the run, with its text", async () => {
    simulator.patch({ faults: [{ kind: "status", status: 418, detail: "short and stout" }] })
    const { code, stdout } = await sync("failed", "vaults")
    expect(code).toBe(1)
    expect(stdout).toMatch(/short and stout, from http:.* \(HTTP 418\)/s)
    expect(stdout).toContain("Failed: nothing landed")
  })

  it("what fails pipelines for one cause is logged once", async () => {
    simulator.patch({
      faults: [
        { kind: "status", status: 418, detail: "short and stout", pathPrefix: "/platform/gov" },
      ],
    })
    const { stderr } = await sync("failed", "vaults", "roles", "permissions", "--no-publish")
    expect(stderr.split("short and stout")).toHaveLength(2)
    expect(stderr).toMatch(/"roles: .*tasks failed"/)
    expect(stderr).toMatch(/"permissions: .*tasks failed"/)
  })

  it("a long wait for the rate limit defers the rest", async () => {
    simulator.patch({
      faults: [{ kind: "rate-limit", retryAfterSeconds: 3600, match: "fields=ratio" }],
    })
    const { code, stdout } = await sync("deferred", "ratio_history", "--no-publish")
    expect(code).toBe(5)
    expect(stdout).toContain("Deferred: the service requires a wait of 1 h (")
    expect(stdout).toContain("Run sync again after that.")
  })
})

describe("two runs at once", () => {
  afterEach(() => simulator.patch({ latencyMs: 0 }))

  it("the second says who holds the warehouse; the first stops on SIGTERM", async () => {
    simulator.patch({ latencyMs: 1000 })
    const args = [
      "sync",
      "--base-url",
      simulator.url,
      "--data-dir",
      "held",
      "--log-format",
      "pretty",
    ]
    const holder = start(args, { cwd })
    const errors = text(holder.stderr)
    const closed = once(holder, "close")
    // By its first line it holds the warehouse.
    await once(holder.stderr, "data")
    const second = await sync("held", "--no-progress")
    expect(second).toMatchObject({ code: 75, stdout: "" })
    expect(second.stderr).toContain(String(holder.pid))
    expect(second.stderr).toContain("--wait")
    holder.kill("SIGTERM")
    expect(await closed).toEqual([130, null])
    expect(await errors).toContain("stopped; what was committed stays")
    simulator.patch({ latencyMs: 0 })
    expect(await sync("held", "vaults", "--no-publish")).toMatchObject({ code: 0 })
  })
})

describe("probable mistakes", () => {
  const address = "0xd8da6bf26964af9d7eed9e03e53415d37aa96045"

  it("an unlisted vault is named, and a run without any other fails", async () => {
    const { code, stderr } = await sync("unlisted", "ratio_history", "--vault", address)
    expect(code).toBe(2)
    expect(stderr).toContain(`the service lists no vault ${address}`)
    // In an outage nobody knows what it lists, and no setting is to be corrected.
    simulator.patch({ faults: [{ kind: "status", status: 418 }] })
    const outage = await sync("outage", "ratio_history", "--vault", address)
    simulator.patch({ faults: [] })
    expect(outage.code).toBe(1)
    expect(outage.stderr).not.toContain("lists no vault")
  })

  it("a vault that the settings exclude is refused, and not read in silence", async () => {
    const config = join(cwd, "exclude.yaml")
    const excluded = "0xD8DA6BF26964AF9D7EED9E03E53415D37AA96045"
    writeFileSync(config, `vaults: { exclude: ["${excluded}"] }\n`)
    const { code, stderr } = await sync("excluded", "--vault", address, "--config", config)
    expect(code).toBe(2)
    expect(stderr).toContain(`the setting vaults.exclude leaves out the vault ${address}.`)
    expect(existsSync(join(cwd, "excluded"))).toBe(false)
  })

  it("a key the service does not know is a failure of what needs one", async () => {
    const args = ["--base-url", simulator.url, "--data-dir", join(cwd, "wrong-key")]
    const run = (...flags: ReadonlyArray<string>) =>
      vaulthouse(["sync", "my_subaccounts", ...args, ...flags], {
        cwd,
        env: { VAULTHOUSE_API_KEY: "unknown-key-2718" },
      })
    const rejected = await run()
    expect(rejected.code).toBe(3)
    expect(rejected.stderr).toContain("the service rejected the API key (HTTP 401)")
    expect(rejected.stderr).toMatch(
      /my_subaccounts: 1 request, [\d.]+ s, 1 task skipped: Invalid API key/,
    )
    expect(rejected.stderr).not.toMatch(/my_subaccounts: nothing new/)
    expect((await run("--log-level", "error")).stderr).not.toMatch(/"level":"(INFO|WARN)"/)
    expect((await run("--log-level", "warn")).stderr).not.toContain('"level":"INFO"')
    expect(rejected.stderr + rejected.stdout).not.toContain("unknown-key-2718")
  })

  it("a vault can be named once its list was loaded", async () => {
    const sql = "select min(vault_name) as name from core.vaults where vault_name is not null"
    const args = ["query", sql, "--format", "ndjson", "--data-dir", join(cwd, "whole")]
    const { stdout } = await vaulthouse(args, { cwd })
    const { name } = JSON.parse(stdout) as { readonly name: string }
    const named = await sync("whole", "fees", "--vault", name, "--full", "--json")
    expect(named.code).toBe(0)
    expect(JSON.parse(named.stdout)).toMatchObject({ unknown_vaults: [] })
    const near = await sync("whole", "fees", "--vault", `${name}x`)
    expect(near.code).toBe(2)
    expect(near.stderr).toContain(`did you mean \`${name}\`?`)
  })

  it.each([
    ["--since", "2999-01-01", "is in the future"],
    ["--since", "1600-01-01", "is before 1970-01-01"],
    ["--until", "1969-12-31", "is before 1970-01-01"],
  ])("%s %s is refused", async (flag, day, why) => {
    expect(await sync("refused", flag, day)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`${flag} ${day} ${why}`),
    })
  })

  it("a folder without a warehouse is reported, and none is created", async () => {
    for (const command of ["replay", "publish", "prune", "compact"]) {
      const ended = await vaulthouse([command, "--data-dir", join(cwd, "typo")], { cwd })
      expect(ended.code, command).toBe(1)
      expect(ended.stderr, command).toContain(`there is no warehouse in ${join(cwd, "typo")}`)
    }
    expect(await sync("typo", "--plan")).toMatchObject({ code: 0 })
    expect(existsSync(join(cwd, "typo"))).toBe(false)
  })

  it("a service that is not there is given up soon, with what to look at", async () => {
    const ended = await vaulthouse(
      ["sync", "vaults", "--base-url", "http://127.0.0.1:9", "--data-dir", join(cwd, "down")],
      { cwd },
    )
    expect(ended.code).toBe(1)
    expect(ended.stdout).toMatch(
      /^ {2}vaults: .*ECONNREFUSED, after \d+ attempts; check the base address/m,
    )
  })
})
