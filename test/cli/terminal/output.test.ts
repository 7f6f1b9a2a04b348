// What reaches a terminal, a pipe and a reader that has left, whatever the service sends.
import { readFileSync, globSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Readable, Writable } from "node:stream"
import { text } from "node:stream/consumers"
import { setImmediate } from "node:timers/promises"
import { once } from "node:events"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { print, printError, useStreams } from "../../../src/cli/terminal/output.ts"
import { type Simulator, startSimulator } from "../../../simulator/index.ts"
import { warmReaders } from "../../support/processes/warmReaders.ts"
import { change } from "../../support/warehouseRun.ts"
import { start, vaulthouse } from "../command.ts"

// Clears the screen, sets the title, moves the cursor, and turns the reading direction.
const hostile = "\u001B[2J\u001B]0;title\u0007\u009B1A\u202Eevil\u2066"
// oxlint-disable-next-line no-control-regex
const control = /[\0-\x08\x0B-\x1F\x7F-\x9F\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/

let cwd = ""
let simulator: Simulator
let vault = ""
warmReaders()
beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), "vaulthouse-output-"))
  simulator = await startSimulator({ now: "2026-06-01T12:00:00Z", days: 5, vaults: 2 })
  vault = simulator.truth.vaults[0]?.address ?? ""
  const sync = ["sync", "vaults", "fees", "--base-url", simulator.url, "--no-progress"]
  expect((await vaulthouse(sync, { cwd })).code).toBe(0)
  simulator.patch({
    faults: [{ kind: "status", status: 418, detail: hostile, pathPrefix: "/platform/fees" }],
  })
  failed = await onTerminal(...sync, "--full")
  await Effect.runPromise(
    change(join(cwd, "data"), `update core.vaults set vault_name = '${hostile}'`),
  )
  expect((await vaulthouse(["publish"], { cwd })).code).toBe(0)
})
afterAll(async () => {
  await simulator.close()
  rmSync(cwd, { recursive: true })
})

let failed: Awaited<ReturnType<typeof vaulthouse>>
const onTerminal = (...args: ReadonlyArray<string>) => vaulthouse(args, { cwd, columns: 120 })
const inPipe = (...args: ReadonlyArray<string>) => vaulthouse(args, { cwd })

const sql = `select vault_name as "${hostile}", vault_name from core.vaults limit 1`

describe("text of the service", () => {
  it("of a failed run is shown, not obeyed", () => {
    expect(failed.code).toBe(3)
    expect(failed.stdout).toContain(String.raw`\x1b[2J`)
    expect(`${failed.stdout}${failed.stderr}`).not.toMatch(control)
  })

  it.each([
    ["query, as a table", () => ["query", sql]],
    ["query, as CSV", () => ["query", sql, "--format", "csv"]],
    ["query, as JSON", () => ["query", sql, "--format", "ndjson"]],
    ["query, as Markdown", () => ["query", sql, "--format", "markdown"]],
    ["runs show", () => ["runs", "show", "last"]],
    ["trace", () => ["trace", "vaults", "--vault", vault]],
    ["an error", () => ["query", `select "${hostile}"`]],
    [
      "call",
      () => [
        "call",
        "fees",
        "--param",
        `vault_address=${vault}`,
        "--param",
        "chainId=1",
        "--base-url",
        simulator.url,
      ],
    ],
  ])("is shown on a terminal, not obeyed: %s", async (_what, args) => {
    const { stdout, stderr } = await onTerminal(...args())
    expect(`${stdout}${stderr}`).toMatch(/\\u202e/)
    expect(`${stdout}${stderr}`).not.toMatch(control)
  })

  it.each(["csv", "table", "markdown"])("keeps its bytes in a pipe: %s", async (format) => {
    const { stdout } = await inPipe("query", sql, "--format", format)
    expect(stdout).toContain(hostile)
  })
})

describe("a reader that leaves", () => {
  it("standard error closed at once does not end a run", async () => {
    simulator.patch({ faults: [] })
    const child = start(["sync", "vaults", "--full", "--base-url", simulator.url, "--json"], {
      cwd,
    })
    child.stderr.destroy()
    const [stdout, [code]] = await Promise.all([text(child.stdout), once(child, "close")])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ outcome: "complete" })
  })

  it("standard output closed at once does not end a run", async () => {
    const child = start(["sync", "vaults", "--full", "--base-url", simulator.url], { cwd })
    child.stdout.destroy()
    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, "close")])
    expect(code).toBe(0)
    expect(stderr).not.toContain("EPIPE")
    const { last_run } = JSON.parse((await inPipe("status", "--json")).stdout) as {
      last_run: unknown
    }
    expect(last_run).toMatchObject({ outcome: "complete", state: "ended" })
  })
})

it("a log goes on once the disk has room again, a result does not go on behind a gap", async () => {
  const full = () => {
    let isFull = true
    const lines: Array<string> = []
    const stream = new Writable({
      // As that of a process's own streams, which outlive an error.
      destroy(error, done) {
        done(error)
        ;(this as unknown as { _undestroy: () => void })._undestroy()
      },
      write: (chunk, _encoding, done) => {
        const error = isFull ? Object.assign(new Error("no space"), { code: "ENOSPC" }) : null
        if (error === null) lines.push(String(chunk))
        done(error)
      },
    })
    return { stream, lines, free: () => (isFull = false) }
  }
  const [stdout, stderr] = [full(), full()]
  useStreams({ stdin: Readable.from([]), stdout: stdout.stream, stderr: stderr.stream })
  onTestFinished(() => useStreams(process))
  for (const line of ["lost", "kept"]) {
    print(line)
    printError(line)
    await setImmediate()
    for (const { free } of [stdout, stderr]) free()
  }
  expect([stdout.lines, stderr.lines]).toEqual([[], ["kept"]])
})

it("nothing but src/cli/terminal/output.ts writes to the process's streams", () => {
  const root = join(import.meta.dirname, "../../..")
  const writing = globSync("src/**/*.ts", { cwd: root }).filter((file) =>
    /process\.(stdout|stderr)|\bconsole\./.test(readFileSync(join(root, file), "utf8")),
  )
  // A child process prints the reason of a failed copy to its parent.
  expect(writing.toSorted()).toEqual([
    "src/cli/terminal/output.ts",
    "src/load/duckdb/copyDatabase.ts",
  ])
})
