// Writes the report of the setting `report` after a run that published; it can't fail the run.
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type { Config } from "../../../config/Config.ts"
import { warn } from "../../terminal/complaints.ts"
import { causeMessage } from "../../../domain/values/causeMessage.ts"

export const reportAfterRun = ({
  settings: { report, dataDir, queryMemoryLimit, queryDiskLimit },
}: Config): Effect.Effect<void> => {
  const { file, days, vaults } = report
  if (file === undefined) return Effect.void
  return Effect.promise(() => import("../../../serve/report/writeReport.ts")).pipe(
    Effect.flatMap(({ writeReport }) =>
      writeReport({
        dataDir,
        memoryLimit: queryMemoryLimit,
        diskLimit: queryDiskLimit,
        file,
        vaults,
        days,
        lastDay: undefined,
      }),
    ),
    Effect.asVoid,
    Effect.catchCause((cause) =>
      Cause.hasInterrupts(cause)
        ? Effect.interrupt
        : Effect.sync(() => {
            const error = Cause.squash(cause)
            const why = causeMessage(error)
            warn(`the report was not written: ${why}`)
          }),
    ),
  )
}
