// The bars of a run on a terminal that has fewer lines than there are pipelines.
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Simulator, startSimulator } from "../../simulator/index.ts"
import { hasTerminal, startOnTerminal } from "./command.ts"

const LINES = 12
const COLUMNS = 80

let cwd = ""
let simulator: Simulator
beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), "vaulthouse-bars-"))
  // Slow enough that most of the pipelines are under way at once.
  simulator = await startSimulator({
    now: "2026-06-01T12:00:00Z",
    days: 5,
    vaults: 3,
    latencyMs: 100,
  })
})
afterAll(async () => {
  await simulator.close()
  rmSync(cwd, { recursive: true })
})

// oxlint-disable-next-line no-control-regex
const controls = /\u001B\[[\d;?]*[A-Za-z]/g

describe.runIf(hasTerminal)("bars", () => {
  it("never reach above the terminal, and leave a line for each pipeline that asked", async () => {
    const args = ["sync", "--base-url", simulator.url, "--data-dir", "data"]
    const child = startOnTerminal(args, cwd, COLUMNS, LINES)
    const [shown, [code]] = await Promise.all([text(child.stdout), once(child, "close")])
    expect(code).toBe(0)
    // oxlint-disable-next-line no-control-regex
    const ups = [...shown.matchAll(/\u001B\[(\d+)A/g)].map(([, up]) => Number(up))
    expect(Math.max(...ups)).toBeGreaterThan(3)
    expect(Math.max(...ups)).toBeLessThan(LINES)
    const lines = shown.replaceAll(controls, "").split(/[\r\n]+/)
    const done = lines.filter((line) => /^ \w+ +█+ \d+\/\d+ .* done$/.test(line))
    expect(done.filter((line) => line.length > COLUMNS)).toEqual([])
    const named = done.map((line) => line.trim().split(" ")[0])
    expect(named).toEqual([...new Set(named)])
    const table = lines.slice(lines.findLastIndex((line) => line.startsWith("pipeline ")))
    for (const name of ["vaults", "ratio_history", "audit_log", "withdrawals"]) {
      expect(named).toContain(name)
      expect(table.some((line) => line.startsWith(`${name} `))).toBe(true)
    }
  })
})
