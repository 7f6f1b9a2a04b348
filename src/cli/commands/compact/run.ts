// Compacts the archive and prints what changed.
import { compact, type CompactSummary } from "../../../pipelines/archive/compact.ts"
import { placeOf } from "../../../pipelines/publication/warehouse.ts"
import type { Arguments } from "../../parse/Command.ts"
import { execute } from "../../execute/execute.ts"
import { hasFailedPublication } from "../../execute/failedPublication.ts"
import { publishOptions } from "../../execute/publishOptions.ts"
import { exitCodes } from "../../parse/exit.ts"
import { megabytes } from "../../words/numbers.ts"
import { printReport } from "../../execute/report.ts"
import { counted } from "../../../domain/values/numbers.ts"

export const runCompact = (argv: Arguments) =>
  execute(argv, function* ({ settings }) {
    const publish = publishOptions(argv, settings)
    const summary = yield* compact({ ...placeOf(settings), publish })
    printReport(argv, summary, compactText)
    return hasFailedPublication(summary) ? exitCodes.unexpected : exitCodes.ok
  })

const compactText = ({
  segmentsBefore,
  segmentsAfter,
  bytesBefore,
  bytesAfter,
}: CompactSummary): string =>
  segmentsBefore === segmentsAfter
    ? `Nothing to join: there is at most one archive file for each month (${counted(segmentsBefore, "file")} in all).\n`
    : `${counted(segmentsBefore, "archive file")} became ${segmentsAfter}; ${megabytes(bytesBefore)} before, ${megabytes(bytesAfter)} now.\n`
