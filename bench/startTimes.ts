// Measures how long the command takes to start as users install it, for `--help` and for a query of a published copy.
import { execFile } from "node:child_process"
import { cp, mkdtemp, rm, symlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"

const run = promisify(execFile)
const root = join(import.meta.dirname, "..")
const TIMES = 7

export interface StartTimes {
  readonly helpSeconds: number
  readonly querySeconds: number
}

/** The fastest of several runs, because the others waited for something else. */
const fastest = async (command: string, ...args: ReadonlyArray<string>): Promise<number> => {
  let best = Infinity
  for (let time = 0; time < TIMES; time += 1) {
    const startedAt = performance.now()
    await run(command, args)
    best = Math.min(best, (performance.now() - startedAt) / 1000)
  }
  return best
}

/** `dataDir` contains a warehouse, which is published first. */
export const startTimes = async (dataDir: string): Promise<StartTimes> => {
  const folder = await mkdtemp(join(tmpdir(), "vaulthouse-package-"))
  try {
    await run("npm", ["run", "build"], { cwd: root })
    for (const part of ["bin", "dist", "package.json"]) {
      await cp(join(root, part), join(folder, part), { recursive: true })
    }
    await symlink(join(root, "node_modules"), join(folder, "node_modules"))
    const command = join(folder, "bin/vaulthouse")
    await run(command, ["publish", "--data-dir", dataDir])
    return {
      helpSeconds: await fastest(command, "--help"),
      querySeconds: await fastest(command, "query", "select 1", "--data-dir", dataDir),
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
