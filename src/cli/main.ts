// The entry point of the command line. Imports only what `--help` needs; commands import their work when they run.
import { hideBin } from "yargs/helpers"
import { commandLine } from "./commandLine.ts"

process.exitCode = await commandLine(hideBin(process.argv))
