// Reads what was typed after `runs`, and prints the list or one run.
import * as Effect from "effect/Effect"
import { openPublishedCopy } from "../../pipelines/readers/published.ts"
import { findRun, readRunHistory, readRunReport } from "../../pipelines/readers/runs.ts"
import { type Arguments, textsOf } from "../Command.ts"
import { UsageError } from "../errors.ts"
import { execute } from "../execute.ts"
import { type ExitCode, exitCodes } from "../exit.ts"
import { rowLimit } from "../rowLimit.ts"
import { historyText, reportText } from "./texts.ts"

export const runRuns = (argv: Arguments): Promise<ExitCode> =>
  execute(argv, ({ settings: { dataDir } }) =>
    Effect.gen(function* () {
      const limit = yield* rowLimit(argv)
      const [verb, asked, ...more] = textsOf(argv, "what")
      if (verb !== undefined && (verb !== "show" || asked === undefined || more.length > 0)) {
        return yield* new UsageError({
          why:
            verb === "show" && asked === undefined
              ? "Which run?"
              : `\`runs ${textsOf(argv, "what").join(" ")}\` is not understood.`,
          advice: "`vaulthouse runs` lists them; `vaulthouse runs show last` shows one.",
        })
      }
      const isJson = argv["json"] === true
      const copy = yield* openPublishedCopy(dataDir)
      const history = yield* readRunHistory(copy, dataDir)
      if (asked === undefined) {
        const shown = { ...history, runs: history.runs.slice(0, limit) }
        process.stdout.write(
          isJson
            ? `${JSON.stringify(shown, null, 2)}\n`
            : historyText(shown, history.runs.length - shown.runs.length),
        )
        return exitCodes.ok
      }
      const report = yield* readRunReport(copy, yield* findRun(history, asked))
      const { unpublished } = history
      process.stdout.write(
        isJson
          ? `${JSON.stringify({ ...report, ...(unpublished === undefined ? {} : { unpublished }) }, null, 2)}\n`
          : reportText(report, asked === "last" ? unpublished : undefined),
      )
      return exitCodes.ok
    }).pipe(Effect.scoped),
  )
