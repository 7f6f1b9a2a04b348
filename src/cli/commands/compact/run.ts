// Compacts the archive and prints what changed.
import { compact } from "../../../pipelines/archive/compact.ts"
import type { Arguments } from "../../parse/Command.ts"
import { execute } from "../../execute/execute.ts"
import { megabytes } from "../../words/numbers.ts"
import { printReport } from "../../execute/report.ts"
import { counted } from "../../../domain/values/numbers.ts"

export const runCompact = (argv: Arguments) =>
  execute(argv, function* ({ settings }) {
    printReport(
      argv,
      yield* compact(settings),
      ({ segmentsBefore, segmentsAfter, bytesBefore, bytesAfter }) =>
        segmentsBefore === segmentsAfter
          ? `Nothing to join: there is at most one archive file for each month (${counted(segmentsBefore, "file")} in all).\n`
          : `${counted(segmentsBefore, "archive file")} became ${segmentsAfter}; ${megabytes(bytesBefore)} before, ${megabytes(bytesAfter)} now.\n`,
    )
  })
