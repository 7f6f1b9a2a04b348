// The command line: argv to a command's exit code. Imports only what `--help` needs; commands import
// their work when they run.
import { hideBin } from "yargs/helpers"
import { commandLine } from "./commandLine.ts"
import { exitCodes } from "./exit.ts"

// `vaulthouse query … | head` closes the pipe early: that is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error
  process.exit(exitCodes.ok)
})

process.exitCode = await commandLine(hideBin(process.argv))
