// Copies the database file in a child process: opening and closing the file inside the writer's process would
// drop its POSIX lock, and another process could then write at the same time.
import { execFile } from "node:child_process"
import { promisify } from "node:util"

const run = promisify(execFile)

// A clone if the file system supports it (instant, no space), else a copy; flushed before it is renamed. A signal that ends all
// processes of a terminal or a service is for the writer, which waits for the copy.
const script = `
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => undefined)
  const fs = require("node:fs")
  const [source, target] = process.argv.slice(1)
  try {
    fs.copyFileSync(source, target, fs.constants.COPYFILE_FICLONE)
    const file = fs.openSync(target, "r+")
    fs.fchmodSync(file, 0o600)
    fs.fsyncSync(file)
    fs.closeSync(file)
  } catch (error) {
    process.stderr.write(error.message)
    process.exitCode = 1
  }
`

interface Failed {
  readonly stderr?: string
  readonly signal?: string | null
}

/** `source` must have been checkpointed, and nothing may write it meanwhile: the copy lacks the WAL. */
export const copyDatabase = async (source: string, target: string): Promise<void> => {
  try {
    await run(process.execPath, ["-e", script, "--", source, target])
  } catch (cause) {
    // The message of execFile is the whole command.
    const { stderr = "", signal } = cause as Failed
    if (typeof signal === "string") {
      throw new Error(`the process that copies the database was ended by ${signal}`, { cause })
    }
    throw stderr === "" ? cause : new Error(stderr, { cause })
  }
}
