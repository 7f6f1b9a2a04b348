// vaulthouse runs: prints the list of runs, or one run.
import * as Effect from "effect/Effect"
import { openPublishedCopy } from "../../pipelines/readers/published.ts"
import { findRun, readRunHistory, readRunReport } from "../../pipelines/readers/runs.ts"
import { rowLimit, textsOf } from "../arguments.ts"
import type { Arguments } from "../Command.ts"
import { UsageError } from "../errors.ts"
import { execute, stopped } from "../execute.ts"
import { type ExitCode, exitCodes } from "../exit.ts"
import { printReport } from "../report.ts"
import { historyText, reportText } from "./texts.ts"

export const runRuns = (argv: Arguments): Promise<ExitCode> =>
  execute(
    argv,
    ({ settings: { dataDir } }) =>
      Effect.gen(function* () {
        const limit = yield* rowLimit(argv)
        const words = textsOf(argv, "what")
        const [verb, id] = words
        if (verb !== undefined && (verb !== "show" || words.length !== 2)) {
          return yield* new UsageError({
            why:
              verb === "show" && id === undefined
                ? "Name a run."
                : `\`runs ${words.join(" ")}\` is not a command.`,
            advice:
              "`vaulthouse runs` lists the runs; `vaulthouse runs show last` shows the newest.",
          })
        }
        const copy = yield* openPublishedCopy(dataDir)
        const history = yield* readRunHistory(copy, dataDir)
        if (id === undefined) {
          const listed = { ...history, runs: history.runs.slice(0, limit) }
          const hidden = history.runs.length - listed.runs.length
          printReport(argv, listed, () => historyText(listed, hidden))
          return exitCodes.ok
        }
        const { unpublished } = history
        const report = yield* readRunReport(copy, yield* findRun(history, id))
        printReport(argv, { ...report, unpublished }, () =>
          reportText(report, id === "last" ? unpublished : undefined),
        )
        return exitCodes.ok
      }).pipe(Effect.scoped),
    stopped,
  )
