// Applies the archive's retention and prints what was deleted.
import { settings as known } from "../../../config/settings/settings.ts"
import { prune, type PruneReport } from "../../../pipelines/archive/prune.ts"
import { placeOf } from "../../../pipelines/publication/warehouse.ts"
import { textOf } from "../../parse/arguments.ts"
import type { Arguments } from "../../parse/Command.ts"
import { wrongUse } from "../../parse/errors.ts"
import { execute } from "../../execute/execute.ts"
import { hasFailedPublication } from "../../execute/failedPublication.ts"
import { publishOptions } from "../../execute/publishOptions.ts"
import { exitCodes } from "../../parse/exit.ts"
import { megabytes } from "../../words/numbers.ts"
import { printReport } from "../../execute/report.ts"
import { count, counted } from "../../../domain/values/numbers.ts"

const MOST_DAYS = known.keepDays.kind.max

export const runPrune = (argv: Arguments) =>
  execute(argv, function* ({ settings }) {
    const text = textOf(argv, "older-than") ?? `${settings.keepDays}`
    const olderThanDays = Number(/^(\d+)d?$/.exec(text)?.[1] ?? Number.NaN)
    if (!(olderThanDays <= MOST_DAYS)) {
      return yield* wrongUse(
        `--older-than ${text} is not a number of days up to ${MOST_DAYS}.`,
        "Write days, for example `--older-than 90d`.",
      )
    }
    const dryRun = argv["dry-run"] === true
    const publish = publishOptions(argv, settings)
    const summary = yield* prune({ ...placeOf(settings), olderThanDays, dryRun, publish })
    printReport(argv, summary, (found) => pruneText(found, dryRun))
    return hasFailedPublication(summary) ? exitCodes.unexpected : exitCodes.ok
  })

const pruneText = (summary: PruneReport, dryRun: boolean): string => {
  const { dropped, kept, recordsDropped, segmentsRemoved, segmentsRewritten } = summary
  const { bytesBefore, bytesAfter } = summary
  if (dropped + recordsDropped === 0) {
    return `Nothing to delete: all ${count(kept)} archived responses are newer or in use.\n`
  }
  const responses = `${count(dropped)} of ${counted(dropped + kept, "response")} and ${counted(recordsDropped, "record")} of tasks and checks`
  const segments = counted(segmentsRemoved, "segment")
  return dryRun
    ? `Would delete ${responses} (${segments} to remove, ${segmentsRewritten} to rewrite; the archive is ${megabytes(bytesBefore)}).\n`
    : `Deleted ${responses}: ${segments} removed, ${segmentsRewritten} rewritten, ${megabytes(bytesBefore)} before, ${megabytes(bytesAfter)} now.\n`
}
