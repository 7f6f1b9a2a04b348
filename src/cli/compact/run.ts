// Compacts the archive and prints what changed.
import * as Effect from "effect/Effect"
import { compact } from "../../pipelines/archive/compact.ts"
import type { Arguments } from "../Command.ts"
import { execute } from "../execute.ts"
import { type ExitCode, exitCodes } from "../exit.ts"
import { counted, megabytes } from "../numbers.ts"
import { printReport } from "../report.ts"

export const runCompact = (argv: Arguments): Promise<ExitCode> =>
  execute(argv, ({ settings }) =>
    Effect.map(compact(settings), (summary) => {
      printReport(argv, summary, ({ segmentsBefore, segmentsAfter, bytesBefore, bytesAfter }) =>
        segmentsBefore === segmentsAfter
          ? `Nothing to join: there is at most one archive file for each past month (${counted(segmentsBefore, "file")} in all).\n`
          : `${counted(segmentsBefore, "archive file")} became ${segmentsAfter}; ${megabytes(bytesBefore)} before, ${megabytes(bytesAfter)} now.\n`,
      )
      return exitCodes.ok
    }),
  )
