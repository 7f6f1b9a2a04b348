// Notifications of whole runs: real receivers, a real command, the exit code of the run, and secrets.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { afterEach, beforeEach, expect, it, onTestFinished } from "vitest"
import { startSimulator } from "../../../simulator/index.ts"
import { notifyAfterError } from "../../../src/cli/commands/notify/afterRun.ts"
import { readConfig } from "../../../src/config/Config.ts"
import { WarehouseLocked } from "../../../src/load/errors.ts"
import { acquireLock } from "../../../src/load/lock/LockFile.ts"
import { type Receiver, startReceiver, status } from "../../support/servers/receiver.ts"
import { vaulthouse } from "../command.ts"

const key = "sk-live-27182818284590"
const token = "T00-B00-XXXXXXXX"
const nowhere = "http://127.0.0.1:1"
let cwd = ""
let receiver: Receiver
let broken: Receiver
beforeEach(async () => {
  cwd = mkdtempSync(join(tmpdir(), "vaulthouse-notify-"))
  receiver = await startReceiver()
  broken = await startReceiver(status(404))
  writeFileSync(
    join(cwd, "vaulthouse.config.yaml"),
    `
schedule: { hourly: 0 0 1 1 *, daily: 0 0 1 1 * }
pipelines: [vaults]
notify:
  - webhook: \${HOOK}
  - webhook: ${broken.url}/services/${token}
  - command: [sh, -c, 'cat >> commands.ndjson']
    on: [run_failed, key_rejected]
  - ping: ${receiver.url}/ping/${token}
`,
  )
})
afterEach(async () => {
  await receiver.close()
  await broken.close()
  rmSync(cwd, { recursive: true })
})

const run = (...args: ReadonlyArray<string>) =>
  vaulthouse(args, {
    cwd,
    env: { HOOK: `${receiver.url}/services/${token}`, VAULTHOUSE_API_KEY: key },
  })
const hook = `POST /services/${token}`

/** Names of files below the folder, without the configuration, that hold the text. */
const filesWith = (text: string): ReadonlyArray<string> =>
  readdirSync(cwd, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== "vaulthouse.config.yaml")
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).includes(text))

it("a service that can't be reached, until it can: two messages, the run's exit codes, no secret", async () => {
  const first = await run("sync", "--base-url", nowhere, "--task-timeout", "1s")
  expect(first.code).toBe(1)
  expect(receiver.requests).toEqual([hook])
  const [message] = receiver.bodies
  expect(message?.title).toMatch(/^vaulthouse on \S+: run failed$/)
  expect(message?.message).toMatch(/^New:\n- The last run failed: /)
  expect(first.stderr).toContain(
    `warning: webhook ${broken.url} (notify[1]) was not notified: HTTP 404; the next run tries again\n`,
  )

  const simulator = await startSimulator({ days: 3, vaults: 2, keys: { [key]: "user" } })
  const landed = await run("sync", "--base-url", simulator.url, "--no-publish")
  await simulator.close()
  expect(landed.code).toBe(0)
  expect(receiver.requests).toEqual([hook, hook, `GET /ping/${token}`])
  expect(receiver.bodies[1]?.title).toMatch(/: resolved: run failed$/)
  const commands = readFileSync(join(cwd, "commands.ndjson"), "utf8").trim().split("\n")
  expect(commands.map((line) => JSON.parse(line) as unknown)).toEqual(receiver.bodies)

  const output = [first, landed].map(({ stdout, stderr }) => stdout + stderr).join("")
  for (const secret of [token, key]) {
    expect(output).not.toContain(secret)
    expect(JSON.stringify(receiver.bodies)).not.toContain(secret)
    expect(filesWith(secret)).toEqual([])
  }
})

it("a key that the service does not know", async () => {
  const simulator = await startSimulator({ days: 3, vaults: 2 })
  const { code } = await run("sync", "my_subaccounts", "--base-url", simulator.url, "--no-publish")
  await simulator.close()
  expect(code).toBe(3)
  expect(receiver.bodies.map(({ problems }) => problems.map(({ kind }) => kind))).toEqual([
    ["key_rejected"],
  ])
})

it("a warehouse that does not open, by schedule too; not one that is in use, nor a wrong command", async () => {
  expect((await run("sync", "no_such_pipeline", "--base-url", nowhere)).code).toBe(2)
  const lock = await acquireLock(cwd, new Date().toISOString())
  expect((await run("sync", "--data-dir", ".", "--base-url", nowhere)).code).toBe(75)
  lock.release()
  expect(receiver.requests).toEqual([])
  writeFileSync(join(cwd, "vaulthouse.duckdb"), "not a database".repeat(1000))
  const args = ["--data-dir", ".", "--base-url", nowhere]
  expect((await run("schedule", "--once", ...args)).code).toBe(1)
  expect((await run("sync", ...args)).code).toBe(1)
  expect(receiver.requests).toEqual([hook])
  expect(receiver.bodies[0]?.message).toContain("vaulthouse.duckdb")
})

it("a run that waited for the warehouse for as long as it may", async () => {
  const { settings, ...config } = await Effect.runPromise(
    readConfig({ flags: {}, environment: {}, cwd: cwd }),
  )
  const notify = settings.notify.filter((entry) => "command" in entry)
  const locked = Cause.fail(new WarehouseLocked({ file: "writer.lock", holder: undefined }))
  const configured = { ...config, settings: { ...settings, notify } }
  const sent = () => existsSync(join(cwd, "commands.ndjson"))
  const before = process.cwd()
  onTestFinished(() => process.chdir(before))
  process.chdir(cwd)
  await Effect.runPromise(notifyAfterError(configured, locked, false))
  expect(sent()).toBe(false)
  await Effect.runPromise(notifyAfterError(configured, locked, true))
  expect(sent()).toBe(true)
})

it("notify test says what came of each, and fails if one did", async () => {
  const tested = await run("notify", "test")
  expect(tested.code).toBe(4)
  const found = tested.stdout.trimEnd().split("\n").slice(1)
  expect(found.map((line) => line.replaceAll(/ {2,}/g, " | "))).toEqual([
    "webhook ${HOOK} (notify[0]) | ok | HTTP 200",
    `webhook ${broken.url} (notify[1]) | failed | HTTP 404`,
    "command sh (notify[2]) | ok | exit code 0",
    `ping ${receiver.url} (notify[3]) | ok | HTTP 200`,
  ])
  expect(receiver.bodies.map(({ event }) => event)).toEqual(["test"])
  const unset = await vaulthouse(["notify", "test", "--json"], { cwd })
  const { deliveries } = JSON.parse(unset.stdout) as { deliveries: ReadonlyArray<unknown> }
  expect(deliveries[0]).toEqual({
    receiver: "webhook ${HOOK} (notify[0])",
    state: "failed",
    detail: "the environment variable HOOK is not set",
  })
  for (const { stdout, stderr } of [tested, unset]) expect(stdout + stderr).not.toContain(token)
  writeFileSync(join(cwd, "vaulthouse.config.yaml"), "notify: []\n")
  expect((await run("notify", "test")).stderr).toContain("no `notify` entries")
  expect((await run("notify", "tset")).stderr).toContain("`notify tset` is not a command")
  expect((await run("notify", "test")).code).toBe(2)
})

it("a variable that is not set is a warning after every run, whether or not there is a problem", async () => {
  const simulator = await startSimulator({ days: 3, vaults: 2 })
  const args = ["sync", "--base-url", simulator.url, "--no-publish"]
  const { code, stderr } = await vaulthouse(args, { cwd })
  await simulator.close()
  expect(code).toBe(0)
  expect(stderr).toContain(
    "warning: webhook ${HOOK} (notify[0]) was not notified: the environment variable HOOK is not set",
  )
})
