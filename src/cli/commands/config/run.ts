// vaulthouse config: prints the settings, or says what is wrong with them.
import * as Effect from "effect/Effect"
import { problemText } from "../../../config/ConfigError.ts"
import { textOf } from "../../parse/arguments.ts"
import type { Arguments } from "../../parse/Command.ts"
import { complain, warn } from "../../terminal/complaints.ts"
import { wrongUse } from "../../parse/errors.ts"
import { execute, readCommandConfig, runToEnd, stopped } from "../../execute/execute.ts"
import { type ExitCode, exitCodes } from "../../parse/exit.ts"
import { printReport } from "../../execute/report.ts"
import { textTable } from "../../terminal/table.ts"
import { configErrors } from "./problems.ts"
import { settingRows } from "./settingRows.ts"

export const runConfig = (argv: Arguments): Promise<ExitCode> => {
  const what = textOf(argv, "what")
  if (what === undefined) return printSettings(argv)
  return what === "check"
    ? runToEnd(checkSettings(argv), stopped)
    : runToEnd(unknownWord(what), stopped)
}

const unknownWord = (word: string) =>
  wrongUse(
    `\`config ${word}\` is not a command.`,
    "`vaulthouse config` shows the settings; `vaulthouse config check` checks them.",
  )

const printSettings = (argv: Arguments): Promise<ExitCode> =>
  execute(
    argv,
    // oxlint-disable-next-line require-yield -- the settings are read, and there is nothing else to wait for
    function* (config) {
      const rows = settingRows(config)
      const settings = rows.map(({ name, value, from, where }) => ({ name, value, from, where }))
      printReport(argv, { file: config.file ?? null, settings }, () => {
        const cells = rows.map(({ name, shown, where }) => [name, where ?? "default", shown])
        return `${textTable(["setting", "from", "value"], cells)}\n`
      })
    },
    stopped,
  )

/** Prints problems in the same place and words as every other command. */
const checkSettings = Effect.fnUntraced(function* (argv: Arguments) {
  const read = readCommandConfig(argv)
  const errors = yield* configErrors(read)
  const isValid = errors.length === 0
  const { file, warnings } = isValid ? yield* read : { file: undefined, warnings: [] }
  const problems = errors.flatMap((error) => error.problems)
  for (const warning of warnings) warn(problemText(warning))
  if (isValid || argv["json"] === true) {
    printReport(
      argv,
      { valid: isValid, problems, warnings },
      () => `The configuration is valid (${file ?? "there is no file"}).\n`,
    )
  } else {
    const lines = errors.flatMap((error) => error.lines)
    complain(`vaulthouse: ${lines.join("\n")}`)
  }
  return isValid ? exitCodes.ok : exitCodes.usage
})
