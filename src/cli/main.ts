// The command line: argv to a command's exit code. Imports only what `--help` needs; commands import
// their work when they run.
import { hideBin } from "yargs/helpers"
import { commandLine } from "./commandLine.ts"

process.exitCode = await commandLine(hideBin(process.argv))
