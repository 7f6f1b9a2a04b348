// The command line: argv to a command. Commands import their work when they run, so that `--help`
// starts fast.
import { readFileSync } from "node:fs"
import yargs from "yargs"
import { hideBin } from "yargs/helpers"

const { version } = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
) as { version: string }

await yargs(hideBin(process.argv)).scriptName("vaulthouse").version(version).strict().parseAsync()
