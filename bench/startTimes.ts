// Measures how long the command takes to start, for `--help` and for a query of a published copy.
import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"

const run = promisify(execFile)
const command = join(import.meta.dirname, "../bin/vaulthouse")
const TIMES = 7

export interface StartTimes {
  readonly helpSeconds: number
  readonly querySeconds: number
}

/** The fastest of several runs, because the others waited for something else. */
const fastest = async (...args: ReadonlyArray<string>): Promise<number> => {
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
  await run(command, ["publish", "--data-dir", dataDir])
  return {
    helpSeconds: await fastest("--help"),
    querySeconds: await fastest("query", "select 1", "--data-dir", dataDir),
  }
}
