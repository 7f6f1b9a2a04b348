// Runs the archive's compaction and says what came of it.
import * as Effect from "effect/Effect"
import { compact } from "../../pipelines/archive/compact.ts"
import type { Arguments } from "../Command.ts"
import { counted } from "../counted.ts"
import { execute } from "../execute.ts"
import { type ExitCode, exitCodes } from "../exit.ts"

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`

export const runCompact = (argv: Arguments): Promise<ExitCode> =>
  execute(argv, ({ settings: { dataDir } }) =>
    Effect.map(compact(dataDir), (summary) => {
      const { segmentsBefore, segmentsAfter, bytesBefore, bytesAfter } = summary
      process.stdout.write(
        argv["json"] === true
          ? `${JSON.stringify(summary)}\n`
          : segmentsBefore === segmentsAfter
            ? `Nothing to join: ${counted(segmentsBefore, "archive file")}, at most one of each month that is over.\n`
            : `${counted(segmentsBefore, "archive file")} became ${segmentsAfter}; ${megabytes(bytesBefore)} before, ${megabytes(bytesAfter)} now.\n`,
      )
      return exitCodes.ok
    }),
  )
