// Processes that share a data directory: one that opens a lake removes only what ended processes have left.
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { spillFolder } from "../../../../src/load/storage/lake/spillFolder.ts"

let dataDir = ""
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "vaulthouse-spill-"))
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] })
})
afterEach(() => {
  vi.useRealTimers()
  rmSync(dataDir, { recursive: true })
})

const HOUR = 3_600_000

it("the folder of a process that spills nothing for days stays until its end", async () => {
  const own = await spillFolder(dataDir)
  vi.advanceTimersByTime(49 * HOUR)
  const other = await spillFolder(dataDir)
  expect(existsSync(own.path)).toBe(true)
  expect(other.path).not.toBe(own.path)
  await own.remove()
  await other.remove()
  expect([own, other].filter(({ path }) => existsSync(path))).toEqual([])
  expect(vi.getTimerCount()).toBe(0)
})

it("the folder that a process left is removed by one that begins a day later", async () => {
  const left = await spillFolder(dataDir)
  vi.clearAllTimers()
  vi.advanceTimersByTime(23 * HOUR)
  await (await spillFolder(dataDir)).remove()
  expect(existsSync(left.path)).toBe(true)
  vi.advanceTimersByTime(2 * HOUR)
  await (await spillFolder(dataDir)).remove()
  expect(existsSync(left.path)).toBe(false)
})
