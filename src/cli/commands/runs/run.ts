// vaulthouse runs: prints the list of runs, or one run.
import { openPublishedCopy } from "../../../pipelines/readers/openPublishedCopy.ts"
import { findRun, readRunHistory, readRunReport } from "../../../pipelines/readers/runs.ts"
import { rowLimit, textsOf } from "../../parse/arguments.ts"
import type { Arguments } from "../../parse/Command.ts"
import { wrongUse } from "../../parse/errors.ts"
import { execute, stopped } from "../../execute/execute.ts"
import { printReport } from "../../execute/report.ts"
import { historyText, reportText } from "./texts.ts"

export const runRuns = (argv: Arguments) =>
  execute(
    argv,
    function* ({ settings: { dataDir } }) {
      const limit = yield* rowLimit(argv)
      const words = textsOf(argv, "what")
      const [verb, id] = words
      if (verb !== undefined && (verb !== "show" || words.length !== 2)) {
        return yield* wrongUse(
          verb === "show" && id === undefined
            ? "Name a run."
            : `\`runs ${words.join(" ")}\` is not a command.`,
          "`vaulthouse runs` lists the runs; `vaulthouse runs show last` shows the newest.",
        )
      }
      const copy = yield* openPublishedCopy(dataDir)
      const history = yield* readRunHistory(copy, dataDir)
      if (id === undefined) {
        const listed = { ...history, runs: history.runs.slice(0, limit) }
        const hidden = history.runs.length - listed.runs.length
        return printReport(argv, listed, () => historyText(listed, hidden))
      }
      const { unpublished } = history
      const report = yield* readRunReport(copy, yield* findRun(history, id))
      printReport(argv, { ...report, unpublished }, () =>
        reportText(report, id === "last" ? unpublished : undefined),
      )
    },
    stopped,
  )
