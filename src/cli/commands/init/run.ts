// vaulthouse init: writes a configuration file, then tries the connection with it.
import { existsSync } from "node:fs"
import { chmod, stat } from "node:fs/promises"
import { dirname, join, relative } from "node:path"
import * as Effect from "effect/Effect"
import { configFile, readProcessConfig } from "../../../config/Config.ts"
import { type ConfigError, unwritable } from "../../../config/ConfigError.ts"
import { newConfigFile } from "../../../config/write/newFile.ts"
import { replaceFile } from "../../../config/write/replaceFile.ts"
import { API_KEY, API_KEY_FILE } from "../../../config/settings/Setting.ts"
import { createDurably } from "../../../domain/durableFiles.ts"
import type { Check } from "../../../pipelines/service/doctor.ts"
import type { Arguments } from "../../parse/Command.ts"
import { examineService, type Findings, findingsText } from "../doctor/run.ts"
import { wrongUse } from "../../parse/errors.ts"
import { readCommandConfig, runToEnd, type Stopped } from "../../execute/execute.ts"
import { type ExitCode, exitCodes } from "../../parse/exit.ts"
import { flagValues } from "../../parse/globalFlags.ts"
import { print } from "../../terminal/output.ts"
import { printReport } from "../../execute/report.ts"
import { paragraph } from "../../terminal/terminal.ts"
import { readAnswers } from "./answers.ts"

const stopped: Stopped = { code: exitCodes.interrupted, text: "\nvaulthouse: stopped\n" }

export const runInit = (argv: Arguments): Promise<ExitCode> =>
  runToEnd(
    Effect.gen(function* () {
      const flags = flagValues(argv)
      const file = configFile(flags)
      const isReplaced = existsSync(file)
      if (isReplaced && argv["force"] !== true) {
        return yield* wrongUse(
          `${file} already exists and was left as it is.`,
          "`vaulthouse config` shows what it sets; --force replaces it.",
        )
      }
      const given = yield* readProcessConfig(flags, { ignoreFile: true })
      const answers = yield* readAnswers(given, file)
      yield* write(file, newConfigFile(answers, schemaFor(file)), isReplaced)
      if (argv["json"] !== true) print(`${isReplaced ? "Replaced" : "Wrote"} ${file}.\n\n`)
      const { service: checks, access } = yield* examineService(
        yield* readCommandConfig(argv),
        false,
      )
      printReport(argv, { file, checks, access }, initText)
      const isFailed = checks.some(({ state }) => state === "failed")
      return isFailed ? exitCodes.checks : exitCodes.ok
    }),
    stopped,
  )

/**
 * Without `isForced`, never overwrites a file that has appeared meanwhile. Not everybody can read it: it may come to hold secrets.
 * One that only some others can read stays so.
 */
const write = (file: string, text: string, isForced: boolean): Effect.Effect<void, ConfigError> =>
  Effect.tryPromise({
    try: async () => {
      if (!isForced) return createDurably(file, text)
      const found = await stat(file).catch(() => undefined)
      const isOpen = found !== undefined && (found.mode & 0o007) !== 0
      const user = process.getuid?.()
      if (isOpen && (found.uid === user || user === 0)) await chmod(file, 0o600)
      await replaceFile(file, text)
    },
    catch: (error) => unwritable(file, error),
  })

/** The path of this installation's schema: relative if it is below the file's folder, else absolute. */
const schemaFor = (file: string): string => {
  const inPackage = "docs/config.schema.json"
  let folder = import.meta.dirname
  while (!existsSync(join(folder, inPackage)) && folder !== dirname(folder)) {
    folder = dirname(folder)
  }
  const schema = join(folder, inPackage)
  const path = relative(dirname(file), schema)
  return path.startsWith("..") ? schema : `./${path}`
}

const initText = (findings: Findings): string =>
  `${findingsText(findings)}\n${paragraph(nextSteps(findings.checks))}\n`

const nextSteps = (checks: Findings["checks"]): string => {
  const has = (state: Check["state"], name?: string): boolean =>
    checks.some((each) => each.state === state && (name === undefined || each.check === name))
  if (has("failed")) return "Once this is fixed, `vaulthouse doctor` tries again."
  const key = has("skipped", "key")
    ? `\nFor more than public data, set ${API_KEY}, or ${API_KEY_FILE} to the path of a file with the key.`
    : ""
  return `Next: \`vaulthouse sync --plan\` shows what a run would read, \`vaulthouse sync\` reads it.${key}`
}
