// Output that can't be written whole, because a disk is full, is an error: a script must not take the beginning for all of it.
import { spawnSync } from "node:child_process"
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, it } from "vitest"
import { bin, environment } from "../command.ts"

const cwd = mkdtempSync(join(tmpdir(), "vaulthouse-full-"))
afterAll(() => rmSync(cwd, { recursive: true }))

/** Runs a command whose standard output is this file; `blocks` of 512 bytes are the most that a file may have. */
const into = (file: string, args: ReadonlyArray<string>, blocks = "unlimited") => {
  const output = openSync(file, "w")
  try {
    const limited = 'ulimit -f "$0" && exec "$@"'
    const { status, stderr } = spawnSync("sh", ["-c", limited, blocks, bin, ...args], {
      cwd,
      // Files of compiled code are limited too.
      env: { ...environment, NODE_DISABLE_COMPILE_CACHE: "1" },
      stdio: ["ignore", output, "pipe"],
      encoding: "utf8",
    })
    return { status, stderr }
  } finally {
    closeSync(output)
  }
}

it
  .runIf(process.platform === "linux")
  .each([
    ["config"],
    ["config", "--json"],
    ["call", "--openapi"],
    ["--help"],
    ["completion", "bash"],
  ])("%s %s into a full device fails", (...args) => {
  const { status, stderr } = into("/dev/full", args)
  expect(status).toBe(1)
  expect(stderr).toMatch(/^vaulthouse: standard output can't be written: /)
})

it("what a disk takes half of is no success", () => {
  const file = join(cwd, "openapi.json")
  expect(into(file, ["call", "--openapi"])).toEqual({ status: 0, stderr: "" })
  const whole = readFileSync(file, "utf8")
  expect(() => JSON.parse(whole) as unknown).not.toThrow()
  const { status, stderr } = into(file, ["call", "--openapi"], "16")
  expect(statSync(file).size).toBeLessThan(whole.length)
  expect(status).toBe(1)
  expect(stderr).toMatch(/^vaulthouse: standard output can't be written: /)
})

it("a log that a disk has no room for ends nothing", () => {
  const log = openSync(join(cwd, "log"), "w")
  const limited = 'ulimit -f 0 && exec "$@"'
  const { status, stdout } = spawnSync(
    "sh",
    ["-c", limited, "sh", bin, "status", "--data-dir", "none"],
    {
      cwd,
      env: { ...environment, NODE_DISABLE_COMPILE_CACHE: "1" },
      stdio: ["ignore", "pipe", log],
      encoding: "utf8",
    },
  )
  closeSync(log)
  // As with a log that has room.
  const { status: usual, stdout: text } = spawnSync(bin, ["status", "--data-dir", "none"], {
    cwd,
    env: environment,
    stdio: ["ignore", "pipe", "ignore"],
    encoding: "utf8",
  })
  expect({ status, stdout }).toEqual({ status: usual, stdout: text })
})
