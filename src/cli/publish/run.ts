// Publishes on request and says what there is now.
import * as Effect from "effect/Effect"
import { publishAnyway } from "../../pipelines/readers/publish.ts"
import type { Arguments } from "../Command.ts"
import { counted } from "../counted.ts"
import { execute } from "../execute.ts"
import { type ExitCode, exitCodes } from "../exit.ts"
import { publishOptions } from "../publishOptions.ts"

export const runPublish = (argv: Arguments): Promise<ExitCode> =>
  execute(argv, ({ settings }) =>
    Effect.gen(function* () {
      // Asked for by name, it is done whatever the configuration says of `sync`.
      const options = publishOptions(argv, { ...settings, publish: true })
      const published = yield* publishAnyway({
        parquet: options?.parquet,
        dataDir: settings.dataDir,
        afresh: argv["all"] === true,
      })
      const { publishedAt, parquetFiles, parquetRows, parquetWritten, parquetRemoved } = published
      const made =
        options?.parquet === undefined
          ? `no Parquet, as configured${parquetRemoved === 0 ? "" : `; ${counted(parquetRemoved, "file")} of earlier publications removed`}`
          : `${counted(parquetRows, "row")} in ${counted(parquetFiles, "Parquet file")}, ${parquetWritten} of them written now`
      process.stdout.write(
        argv["json"] === true
          ? `${JSON.stringify(published)}\n`
          : `Published in ${settings.dataDir} as of ${publishedAt}: ${made}.\n`,
      )
      return exitCodes.ok
    }),
  )
