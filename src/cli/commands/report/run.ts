// Writes the report that the flags describe, and prints its path.
import { extname } from "node:path"
import * as Effect from "effect/Effect"
import type { UsageError } from "../../../domain/UsageError.ts"
import { formatOf, formats, writeReport } from "../../../serve/report/writeReport.ts"
import { dayOf, instantOf, numberOf, repeatedOf, textOf } from "../../parse/arguments.ts"
import type { Arguments } from "../../parse/Command.ts"
import { wrongUse } from "../../parse/errors.ts"
import { execute, stopped } from "../../execute/execute.ts"
import { counted } from "../../../domain/values/numbers.ts"
import { print } from "../../terminal/output.ts"

const MAX_DAYS = 3650

export const runReport = (argv: Arguments) =>
  execute(
    argv,
    function* ({ settings: { dataDir, queryMemoryLimit, queryDiskLimit } }) {
      const file = yield* fileOf(argv)
      const days = yield* numberOf(argv, "days", 1, MAX_DAYS)
      const lastDay = yield* dayOf(argv, "to")
      const { vaults } = yield* writeReport({
        dataDir,
        memoryLimit: queryMemoryLimit,
        diskLimit: queryDiskLimit,
        file,
        vaults: repeatedOf(argv, "vault"),
        days,
        lastDay,
        isComparison: argv["compare"] === true,
        asOf: yield* instantOf(argv, "as-of"),
      })
      print(`${file}: ${counted(vaults, "vault")}\n`)
    },
    stopped,
  )

const fileOf = (argv: Arguments): Effect.Effect<string, UsageError> => {
  const format = textOf(argv, "format")
  const file = textOf(argv, "out") ?? `report.${format ?? "html"}`
  const ending = extname(file).toLowerCase().slice(1)
  if (file === "" || !formats.some((each) => each === ending)) {
    return wrongUse(`--out ${JSON.stringify(file)} does not end with .html, .pdf or .png.`)
  }
  return format === undefined || formatOf(file) === format
    ? Effect.succeed(file)
    : wrongUse(
        `--format ${format} and --out ${file} name two formats: end the file's name with .${format}.`,
      )
}
