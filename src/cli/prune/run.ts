// Runs the archive's retention and says what went.
import * as Effect from "effect/Effect"
import { prune, type PruneSummary } from "../../pipelines/archive/prune.ts"
import { type Arguments, textOf } from "../Command.ts"
import { counted } from "../counted.ts"
import { UsageError } from "../errors.ts"
import { execute } from "../execute.ts"
import { type ExitCode, exitCodes } from "../exit.ts"

export const runPrune = (argv: Arguments): Promise<ExitCode> =>
  execute(argv, ({ settings: { dataDir } }) =>
    Effect.gen(function* () {
      const text = textOf(argv, "older-than") ?? ""
      const olderThanDays = Number(/^(\d+)d?$/.exec(text)?.[1] ?? Number.NaN)
      if (Number.isNaN(olderThanDays)) {
        return yield* new UsageError({
          why: `--older-than ${text} is no number of days.`,
          advice: "Write days, as in `--older-than 90d`.",
        })
      }
      const dryRun = argv["dry-run"] === true
      const summary = yield* prune({ dataDir, olderThanDays, dryRun })
      process.stdout.write(
        argv["json"] === true ? `${JSON.stringify(summary)}\n` : pruneText(summary, dryRun),
      )
      return exitCodes.ok
    }),
  )

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`

const pruneText = (summary: PruneSummary, dryRun: boolean): string => {
  const { dropped, kept, segmentsRemoved, segmentsRewritten, bytesBefore, bytesAfter } = summary
  if (dropped === 0) return `Nothing to drop: all ${kept} archived responses are young or in use.\n`
  const segments = `${counted(segmentsRemoved, "segment")} removed, ${segmentsRewritten} rewritten`
  return dryRun
    ? `Would drop ${dropped} of ${dropped + kept} responses (${segments.replace("removed", "to remove").replace("rewritten", "to rewrite")}; the archive is ${megabytes(bytesBefore)}).\n`
    : `Dropped ${dropped} of ${dropped + kept} responses: ${segments}, ${megabytes(bytesBefore)} before, ${megabytes(bytesAfter)} now.\n`
}
