// vaulthouse status: how fresh and complete the warehouse is, and what needs attention.
import * as Effect from "effect/Effect"
import { readStatus } from "../../pipelines/readers/status.ts"
import type { Arguments } from "../Command.ts"
import { execute, stopped } from "../execute.ts"
import { type ExitCode, exitCodes } from "../exit.ts"
import { printReport } from "../report.ts"
import { allText } from "./allText.ts"
import { screenText } from "./screenText.ts"

export const runStatus = (argv: Arguments): Promise<ExitCode> =>
  execute(
    argv,
    ({ settings: { dataDir, queryMemoryLimit } }) =>
      Effect.map(readStatus(dataDir, queryMemoryLimit), (status) => {
        const text = argv["all"] === true ? allText : screenText
        printReport(argv, status, (of) => text(of, dataDir))
        return exitCodes.ok
      }).pipe(Effect.scoped),
    stopped,
  )
