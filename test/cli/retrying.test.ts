// What a user sees while requests fail and are retried.
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Fault, type Simulator, startSimulator } from "../../simulator/index.ts"
import { hasTerminal, lines, startOnTerminal, vaulthouse } from "./command.ts"

let cwd = ""
let simulator: Simulator
const down: Fault = {
  kind: "status",
  status: 503,
  detail: "down for maintenance; back soon",
  first: 3,
  pathPrefix: "/tokenized_vault",
}
beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), "vaulthouse-retrying-"))
  simulator = await startSimulator({ now: "2026-06-01T12:00:00Z", days: 5, vaults: 2 })
})
afterAll(async () => {
  await simulator.close()
  rmSync(cwd, { recursive: true })
})

const sync = (dataDir: string, url: string, ...args: ReadonlyArray<string>) =>
  ["sync", "vaults", "--base-url", url, "--data-dir", join(cwd, dataDir), ...args] as const

const retry = /^tokenized_vaults: trying again (at once|in \d\.\d s) \(attempt 2 of 10\): /

describe("a service in trouble", () => {
  it("is logged, once for many retries", async () => {
    simulator.patch({ faults: [down] })
    const { code, stderr } = await vaulthouse(
      sync("log", simulator.url, "--log-format", "pretty", "--no-publish"),
      { cwd },
    )
    expect(code).toBe(0)
    const logged = lines(stderr).filter((line) => line.includes("trying again"))
    // Two lists of vaults, each with three failed attempts within about ten seconds.
    expect(logged.length).toBeLessThan(3)
    expect(logged[0]?.replace(/^[\d-]+ [\d:]+ UTC {2}/, "")).toMatch(retry)
    expect(logged[0]).toMatch(/: down for maintenance \(HTTP 503\)$/)
  })

  it("is an event where logs are JSON", async () => {
    const { stderr } = await vaulthouse(sync("json", "http://127.0.0.1:9"), { cwd })
    const events = lines(stderr).map((line) => JSON.parse(line) as Record<string, unknown>)
    const retries = events.filter(({ kind }) => kind === "retry")
    expect(retries.length).toBeLessThan(3)
    expect(retries[0]).toEqual({
      timestamp: expect.any(String) as string,
      level: "WARN",
      message: expect.stringMatching(/^tokenized_vaults: trying again /) as string,
      run_id: expect.any(String) as string,
      kind: "retry",
      endpoint: "tokenized_vaults",
      detail: expect.stringContaining("no complete response from http://127.0.0.1:9") as string,
      wait_seconds: expect.any(Number) as number,
      attempt: 2,
      attempts: 10,
    })
  })

  it("is logged while `call` waits for its response", async () => {
    const { code, stdout, stderr } = await vaulthouse(
      ["call", "tokenized_vaults", "--base-url", "http://127.0.0.1:9"],
      { cwd },
    )
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(lines(stderr)[0]).toMatch(retry)
  })

  it.runIf(hasTerminal)("shows among the bars of a terminal what is waited for", async () => {
    simulator.patch({ faults: [down] })
    const child = startOnTerminal(sync("terminal", simulator.url), cwd)
    const [shown, [code]] = await Promise.all([text(child.stdout), once(child, "close")])
    expect(code).toBe(0)
    // The jitter can make a delay too short to be drawn, but not all of them.
    expect(shown).toMatch(
      / trying again .{4,9} \(attempt \d of 10\): down for maintenance \(HTTP 503\)/,
    )
    // Gone at the end: the last that is drawn is the bar and the summary.
    expect(shown.slice(shown.lastIndexOf("vaults"))).not.toContain("trying again")
  })
})
