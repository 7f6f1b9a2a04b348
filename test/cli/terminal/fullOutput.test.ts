// Output that can't be written whole, because a disk is full, is an error: a script must not take the beginning for all of it.
import { spawnSync } from "node:child_process"
import { once } from "node:events"
import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, it } from "vitest"
import { fileSink } from "../../../src/cli/terminal/fileSink.ts"
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

it("a log goes on after a line that could not be written, and a result does not", async () => {
  const file = join(cwd, "log")
  writeFileSync(file, "")
  // Of a file that can't be written to: the disk is full for these.
  const [closed, open] = [openSync(file, "r"), openSync(file, "a")]
  const [result, lost, kept] = [fileSink(closed), fileSink(closed, true), fileSink(open, true)]
  const failed = once(result!, "error")
  for (const sink of [result, lost, kept]) sink?.write("line\n")
  expect((await failed)[0]).toMatchObject({ code: "EBADF" })
  expect(lost).toMatchObject({ errored: null, writable: true })
  expect(readFileSync(file, "utf8")).toBe("line\n")
  closeSync(closed)
  closeSync(open)
})
