// What vaulthouse writes is its user's alone, whatever the umask: the data directory and a backup.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { startSimulator } from "../../simulator/index.ts"
import { bin, environment, vaulthouse } from "./command.ts"

const openToOthers = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => (statSync(path).mode & 0o077) !== 0)

it("files and folders are private under any umask", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "vaulthouse-private-"))
  const umask = process.umask(0)
  const simulator = await startSimulator({ days: 2, vaults: 1 })
  onTestFinished(async () => {
    process.umask(umask)
    await simulator.close()
    rmSync(cwd, { recursive: true })
  })
  const run = (...args: Array<string>) => vaulthouse(args, { cwd })
  expect(await run("sync", "vaults", "ratio_history", "--base-url", simulator.url)).toMatchObject({
    code: 0,
  })
  expect(await run("backup", "backup")).toMatchObject({ code: 0 })
  expect(openToOthers(cwd)).toEqual([])
})

it("its user can use them under any umask", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "vaulthouse-private-"))
  const simulator = await startSimulator({ days: 2, vaults: 1 })
  onTestFinished(async () => {
    await simulator.close()
    rmSync(cwd, { recursive: true })
  })
  const sync = ["sync", "vaults", "--base-url", simulator.url]
  const child = spawn("sh", ["-c", 'umask 0777; exec "$@"', "sh", bin, ...sync], {
    cwd,
    env: environment,
    stdio: "ignore",
  })
  expect(await once(child, "exit")).toEqual([0, null])
  const folders = readdirSync(cwd, { recursive: true, withFileTypes: true }).filter((each) =>
    each.isDirectory(),
  )
  const modes = folders.map(({ parentPath, name }) => statSync(join(parentPath, name)).mode & 0o777)
  expect(new Set(modes)).toEqual(new Set([0o700]))
})
