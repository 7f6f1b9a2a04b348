// Measures whole commands as users install them, from the start of the process to its end: `--help`, a query of a published
// copy, a first sync and one without news.
import { execFile } from "node:child_process"
import { cp, mkdtemp, rm, symlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"

import { historyPipelines } from "./scripts/oneRun.ts"

const run = promisify(execFile)
const root = join(import.meta.dirname, "..")
const TIMES = 7

export interface StartTimes {
  readonly helpSeconds: number
  readonly querySeconds: number
  readonly firstSyncSeconds: number
  readonly noNewsSeconds: number
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

/** `url` is that of the service to sync. */
export const startTimes = async (url: string): Promise<StartTimes> => {
  const folder = await mkdtemp(join(tmpdir(), "vaulthouse-package-"))
  try {
    await run("npm", ["run", "build"], { cwd: root })
    for (const part of ["bin", "dist", "package.json"]) {
      await cp(join(root, part), join(folder, part), { recursive: true })
    }
    await symlink(join(root, "node_modules"), join(folder, "node_modules"))
    const command = join(folder, "bin/vaulthouse")
    const sync = (dataDir: string): ReadonlyArray<string> => {
      const place = ["--base-url", url, "--data-dir", join(folder, dataDir)]
      return ["sync", ...historyPipelines, "--no-publish", ...place]
    }
    // The first one makes the template of a new warehouse and the compiled modules.
    await run(command, [...sync("before")])
    const startedAt = performance.now()
    await run(command, [...sync("data")])
    const firstSyncSeconds = (performance.now() - startedAt) / 1000
    const dataDir = join(folder, "data")
    await run(command, ["publish", "--data-dir", dataDir])
    return {
      firstSyncSeconds,
      noNewsSeconds: await fastest(command, ...sync("data")),
      helpSeconds: await fastest(command, "--help"),
      querySeconds: await fastest(command, "query", "select 1", "--data-dir", dataDir),
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
