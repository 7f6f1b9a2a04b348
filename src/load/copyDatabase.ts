// Copies the database file in a child process: opening and closing the file inside the writer's process would
// drop its POSIX lock, and another process could then write beside it.
import { execFile } from "node:child_process"
import { promisify } from "node:util"

const run = promisify(execFile)

// A clone where the file system can (instant, no space), else a copy; flushed before it is renamed.
const script = `
  const fs = require("node:fs")
  const [source, target] = process.argv.slice(1)
  fs.copyFileSync(source, target, fs.constants.COPYFILE_FICLONE)
  const file = fs.openSync(target, "r+")
  fs.fchmodSync(file, 0o600)
  fs.fsyncSync(file)
  fs.closeSync(file)
`

/** `source` must have been checkpointed, and nothing may write it meanwhile: a copy misses the WAL. */
export const copyDatabase = async (source: string, target: string): Promise<void> => {
  await run(process.execPath, ["-e", script, "--", source, target])
}
