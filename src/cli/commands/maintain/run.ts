// Maintains the lake and prints what changed.
import type * as Effect from "effect/Effect"
import { maintain } from "../../../pipelines/archive/maintain.ts"
import type { Arguments } from "../../parse/Command.ts"
import { execute } from "../../execute/execute.ts"
import { count, counted } from "../../../domain/values/numbers.ts"
import { printReport } from "../../execute/report.ts"

export const runMaintain = (argv: Arguments) =>
  execute(argv, function* ({ settings }) {
    const summary = yield* maintain(settings)
    printReport(argv, summary ?? {}, () => maintenanceText(summary))
  })

const maintenanceText = (summary: Effect.Success<ReturnType<typeof maintain>>): string => {
  if (summary === undefined) {
    return "Nothing to do: the warehouse is a file, which every run keeps in order.\n"
  }
  const { rowsFlushed, filesRewritten, filesCreated, recordsDropped, responsesDropped } = summary
  const { snapshotsExpired, filesRemoved, orphansRemoved } = summary
  const joined =
    filesRewritten === 0 ? "" : ` ${counted(filesRewritten, "file")} became ${count(filesCreated)}.`
  const responses =
    responsesDropped === undefined
      ? "; old responses stay, because another process has the lake open, or `archive` is not set"
      : ` and ${counted(responsesDropped, "old response")}`
  const old =
    recordsDropped === 0
      ? ""
      : `Deleted ${counted(recordsDropped, "old record")} of tasks and checks${responses}. `
  return `${old}Wrote ${counted(rowsFlushed, "row")} of small commits to Parquet.${joined} Removed ${counted(snapshotsExpired, "snapshot")}, ${counted(filesRemoved, "superseded file")} and ${counted(orphansRemoved, "file")} of transactions that never committed.\n`
}
