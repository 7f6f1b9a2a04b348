// Colours: whether there are any, that they only repeat what words say, and that they never reach data.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PassThrough } from "node:stream"
import { text } from "node:stream/consumers"
import { stripVTControlCharacters } from "node:util"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { type Simulator, startSimulator } from "../../../simulator/index.ts"
import {
  decideColors,
  isColored,
  paintLevel,
  paintProgress,
  paintOutcomes,
} from "../../../src/cli/terminal/color.ts"
import { rendered, useStreams } from "../../../src/cli/terminal/output.ts"
import { textTable } from "../../../src/cli/terminal/table.ts"
import { hasTerminal, startOnTerminal, vaulthouse } from "../command.ts"

const ESCAPE = "\u001B["
const red = (words: string) => `${ESCAPE}31m${words}${ESCAPE}39m`
const green = (words: string) => `${ESCAPE}32m${words}${ESCAPE}39m`
const yellow = (words: string) => `${ESCAPE}33m${words}${ESCAPE}39m`
const bold = (words: string) => `${ESCAPE}1m${words}${ESCAPE}22m`

const terminal = { isTTY: true, hasColors: () => true }
const dumb = { isTTY: true, hasColors: () => false }
const pipe = {}

describe("there are colours", () => {
  it.each([
    ["nothing is set", undefined, terminal, true],
    ["the terminal has none", undefined, dumb, false],
    ["it is a pipe", undefined, pipe, false],
    ["a pipe is forced to", true, pipe, true],
    ["a terminal is forced not to", false, terminal, false],
  ])("where %s: setting %s", (_where, setting, output, colored) => {
    expect(isColored(setting, output)).toBe(colored)
  })
})

/** Decides by what the streams are alone. */
const decideOn = (stdout: object, stderr: object): void => {
  useStreams({
    stdin: process.stdin,
    stdout: Object.assign(new PassThrough(), stdout),
    stderr: Object.assign(new PassThrough(), stderr),
  })
  decideColors(undefined)
}

describe("painting", () => {
  afterEach(() => {
    useStreams(process)
    decideColors(false)
  })

  it("goes by each stream by itself, and not at all before anything is decided", () => {
    expect(rendered(paintOutcomes("1 failed"))).toBe("1 failed")
    decideOn(terminal, pipe)
    expect(rendered(paintOutcomes("1 failed"))).toBe(red("1 failed"))
    expect(rendered(paintProgress("fees: failed: it failed"))).toBe("fees: failed: it failed")
    decideOn(pipe, terminal)
    expect(rendered(paintOutcomes("1 failed"))).toBe("1 failed")
    expect(rendered(paintProgress("fees: failed: it failed"))).toBe(
      `fees: ${red("failed")}: it failed`,
    )
  })

  it("takes outcomes with their counts, and leaves what did not occur", () => {
    decideColors(true)
    expect(rendered(paintOutcomes("1,203 passed, 0 failed, 2 suspicious_empty"))).toBe(
      `${green("1,203 passed")}, 0 failed, ${yellow("2 suspicious_empty")}`,
    )
    expect(rendered(paintOutcomes("unloaded, failed_at, 3 empty"))).toBe(
      "unloaded, failed_at, 3 empty",
    )
  })

  it("takes the level of a line of the log, once", () => {
    decideColors(true)
    const line = 'timestamp=2026-06-01T12:00:00.000Z level=WARN fiber=#1 message="level=ERROR"'
    expect(rendered(paintLevel(line))).toBe(line.replace("WARN", yellow("WARN")))
  })

  it.each([14, 20, 30, Infinity])("leaves a table as it is laid out, %s wide", (width) => {
    const head = ["pipeline", "tasks done", "rows"]
    const rows = [
      ["vaults", "12 loaded, 1 failed, 1 suspicious empty", "1,234"],
      ["failed", "3 skipped", "0"],
    ]
    const table = () =>
      rendered(
        textTable(head, rows, {
          align: ["left", "left", "right"],
          width,
          outcomes: ["tasks done"],
        }),
      )
    decideColors(false)
    const plain = table()
    decideColors(true)
    const colored = table()
    expect(plain).not.toContain(ESCAPE)
    expect(stripVTControlCharacters(colored)).toBe(plain)
    expect(colored).toContain(bold("pipeline"))
    // In the narrowest, its number stands on the line before.
    expect([red("failed"), red("1 failed")].some((part) => colored.includes(part))).toBe(true)
    // A column that names no outcomes has none, whatever stands in it.
    expect(colored).toMatch(/^failed /m)
  })

  it("leaves a table on a terminal aligned, and escapes what comes from elsewhere alone", () => {
    const head = ["table", "state", "rows"]
    const rows = [
      ["vaults", "1 loaded, 1 failed", "1"],
      ["\u001B[31mfees\u001B[39m", "2 skipped", "1,234"],
    ]
    decideOn(terminal, pipe)
    const align = ["left", "left", "right"] as const
    const table = rendered(textTable(head, rows, { align, width: 80, outcomes: ["state"] }))
    expect(stripVTControlCharacters(table).split("\n")).toEqual([
      "table                 state                rows",
      "vaults                1 loaded, 1 failed      1",
      String.raw`\x1b[31mfees\x1b[39m  2 skipped           1,234`,
    ])
    expect(table).toContain(`${green("1 loaded")}, ${red("1 failed")}`)
  })
})

describe("a command", () => {
  let cwd = ""
  let simulator: Simulator
  beforeAll(async () => {
    cwd = mkdtempSync(join(tmpdir(), "vaulthouse-color-"))
    simulator = await startSimulator({ now: "2026-06-01T12:00:00Z", days: 5, vaults: 2 })
    const { code, stdout, stderr } = await typed(["sync", "vaults", "--base-url", simulator.url])
    expect({ code, isPlain: !`${stdout}${stderr}`.includes(ESCAPE) }).toEqual({
      code: 0,
      isPlain: true,
    })
  })
  afterAll(async () => {
    await simulator.close()
    rmSync(cwd, { recursive: true })
  })

  const typed = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
    vaulthouse(args, { cwd, env })

  it.each([
    ["--color", ["--color"], {}],
    ["FORCE_COLOR", [], { FORCE_COLOR: "1" }],
    ["VAULTHOUSE_COLOR, over NO_COLOR,", [], { VAULTHOUSE_COLOR: "true", NO_COLOR: "1" }],
    ["--color over FORCE_COLOR=0", ["--color"], { FORCE_COLOR: "0" }],
  ])("is coloured in a pipe by %s, and says the same", async (_by, flags, env) => {
    const plain = await typed(["runs"])
    const colored = await typed(["runs", ...flags], env)
    expect(plain.stdout).not.toContain(ESCAPE)
    expect(colored.stdout).toContain(green("complete"))
    expect(colored.stdout).toContain(bold("outcome"))
    expect(stripVTControlCharacters(colored.stdout)).toBe(plain.stdout)
  })

  it.each([
    ["--no-color over FORCE_COLOR", ["--no-color"], { FORCE_COLOR: "1" }],
    ["NO_COLOR over FORCE_COLOR", [], { NO_COLOR: "1", FORCE_COLOR: "1" }],
    ["FORCE_COLOR=0", [], { FORCE_COLOR: "0" }],
  ])("is plain by %s", async (_by, flags, env) => {
    const { stdout } = await typed(["runs", ...flags], env)
    expect(stdout).toContain("complete")
    expect(stdout).not.toContain(ESCAPE)
  })

  it("FORCE_COLOR is environment: it wins over the configuration file", async () => {
    writeFileSync(join(cwd, "off.yaml"), "color: false\n")
    const args = ["runs", "--config", "off.yaml"]
    expect((await typed(args)).stdout).not.toContain(ESCAPE)
    expect((await typed(args, { FORCE_COLOR: "1" })).stdout).toContain(green("complete"))
  })

  it.each([
    ["runs --json"],
    ["status --json"],
    ["query --format csv"],
    ["query --format json"],
    ["query --format ndjson"],
    ["query --format markdown"],
  ])("%s is data, even with --color", async (line) => {
    const args = line.startsWith("query") ? [...line.split(" "), SQL] : line.split(" ")
    const { code, stdout } = await typed([...args, "--color"])
    expect(code).toBe(0)
    expect(stdout).not.toContain(ESCAPE)
  })
  const SQL = "select outcome from ops.runs"

  it.each([
    ["a wrong command", ["snyc"], red("vaulthouse:")],
    ["a wrong value", ["runs", "--max-rows", "few"], red("vaulthouse:")],
    ["a configuration that can't be read", ["runs", "--config", "none"], red("vaulthouse:")],
    ["a warning", ["runs"], yellow("warning:")],
  ])("%s is coloured on standard error", async (_what, args, beginning) => {
    const unknown = { VAULTHOUSE_NOSUCH: "1" }
    const { stderr } = await typed([...args, "--color"], unknown)
    expect(stderr).toContain(beginning)
    const plain = await typed(args, unknown)
    expect(stripVTControlCharacters(stderr)).toBe(plain.stderr)
    expect(plain.stderr).not.toContain(ESCAPE)
  })

  it.runIf(hasTerminal)("is coloured on a terminal, and not with --no-color there", async () => {
    const shown = async (...args: ReadonlyArray<string>) =>
      text(startOnTerminal(["runs", ...args], cwd, 120).stdout)
    expect(await shown()).toContain(green("complete"))
    const plain = await shown("--no-color")
    expect(plain).toContain("complete")
    expect(plain).not.toContain(ESCAPE)
  })
})
