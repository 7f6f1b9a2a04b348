// Publishes on request and prints what was published.
import { placeOf } from "../../../pipelines/publication/warehouse.ts"
import { publishAnyway } from "../../../pipelines/publication/publish.ts"
import type { Arguments } from "../../parse/Command.ts"
import { execute } from "../../execute/execute.ts"
import { publishOptions } from "../../execute/publishOptions.ts"
import { duration, instantText } from "../../words/numbers.ts"
import { printReport } from "../../execute/report.ts"
import { count, counted } from "../../../domain/values/numbers.ts"

export const runPublish = (argv: Arguments) =>
  execute(argv, function* ({ settings }) {
    // `publish.enabled` does not turn off this command.
    const options = publishOptions(argv, {
      ...settings,
      publish: { ...settings.publish, enabled: true },
    })
    const published = yield* publishAnyway({
      parquet: undefined,
      ...options,
      ...placeOf(settings),
      rebuildAll: argv["all"] === true,
    })
    const { publishedAt, parquetFiles, parquetRows, parquetWritten, parquetRemoved, postgres } =
      published
    const made =
      options?.parquet === undefined
        ? `no Parquet, as configured${parquetRemoved === 0 ? "" : `; ${counted(parquetRemoved, "file")} of earlier publications removed`}`
        : `${counted(parquetRows, "row")} in ${counted(parquetFiles, "Parquet file")}, ${parquetWritten} of them written now`
    const inPostgres =
      options?.postgres === undefined
        ? ""
        : postgres === undefined
          ? "In PostgreSQL: a later publication of another data directory, which stays.\n"
          : `In PostgreSQL: ${postgres.schema}, with ${counted(postgres.rows, "row")}, ${count(postgres.rowsCopied)} of them copied now (${duration(postgres.seconds)}).\n`
    printReport(
      argv,
      published,
      () =>
        `Published in ${settings.dataDir} as of ${instantText(publishedAt)}: ${made}.\n${inPostgres}`,
    )
  })
