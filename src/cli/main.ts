// The entry point of the command line. Imports only what `--help` needs; commands import their work when they run.
import { hideBin } from "yargs/helpers"
import { commandLine } from "./commandLine.ts"

// Node would open its debugger to other users of the machine.
process.on("SIGUSR1", () => undefined)
// The owner must be able to use the folders that are made.
const umask = process.umask()
if ((umask & 0o700) !== 0) process.umask(umask & 0o077)

process.exitCode = await commandLine(hideBin(process.argv))
