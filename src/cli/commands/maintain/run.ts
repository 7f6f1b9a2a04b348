// Maintains the lake and prints what changed.
import type * as Effect from "effect/Effect"
import { maintain } from "../../../pipelines/publication/maintain.ts"
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
  const { rowsFlushed, filesRewritten, filesCreated } = summary
  const { snapshotsExpired, filesRemoved, orphansRemoved } = summary
  const joined =
    filesRewritten === 0 ? "" : ` ${counted(filesRewritten, "file")} became ${count(filesCreated)}.`
  return `Wrote ${counted(rowsFlushed, "row")} of small commits to Parquet.${joined} Removed ${counted(snapshotsExpired, "snapshot")}, ${counted(filesRemoved, "superseded file")} and ${counted(orphansRemoved, "file")} of transactions that never committed.\n`
}
