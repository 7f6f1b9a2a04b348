// vaulthouse status: how fresh and complete the warehouse is, and what needs attention.
import { readStatus } from "../../../pipelines/readers/status.ts"
import type { Arguments } from "../../parse/Command.ts"
import { execute, stopped } from "../../execute/execute.ts"
import { printReport } from "../../execute/report.ts"
import { allText } from "./allText.ts"
import { screenText } from "./screenText.ts"

export const runStatus = (argv: Arguments) =>
  execute(
    argv,
    function* ({ settings }) {
      const status = yield* readStatus(settings.dataDir)
      const text = argv["all"] === true ? allText : screenText
      printReport(argv, status, () => text(status, settings))
    },
    stopped,
  )
