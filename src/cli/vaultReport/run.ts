// Writes a report as the flags describe it, and says where it is.
import { extname } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { parseDay } from "../../domain/time.ts"
import { formatOf, formats, writeReport } from "../../serve/report/writeReport.ts"
import { repeatedOf, textOf } from "../arguments.ts"
import type { Arguments } from "../Command.ts"
import { UsageError } from "../errors.ts"
import { execute, stopped } from "../execute.ts"
import { type ExitCode, exitCodes } from "../exit.ts"
import { print } from "../output.ts"

const MOST_DAYS = 3650

export const runReport = (argv: Arguments): Promise<ExitCode> =>
  execute(
    argv,
    ({ settings: { dataDir, queryMemoryLimit } }) =>
      Effect.gen(function* () {
        const file = yield* Effect.fromResult(fileOf(argv))
        const days = yield* Effect.fromResult(daysOf(argv))
        const lastDay = yield* Effect.fromResult(lastDayOf(argv))
        const { vaults } = yield* writeReport({
          dataDir,
          memoryLimit: queryMemoryLimit,
          file,
          vaults: repeatedOf(argv, "vault"),
          days,
          lastDay,
        })
        print(`${file}: ${vaults.length} ${vaults.length === 1 ? "vault" : "vaults"}\n`)
        return exitCodes.ok
      }),
    stopped,
  )

const wrong = (why: string) => Result.fail(new UsageError({ why }))

const fileOf = (argv: Arguments): Result.Result<string, UsageError> => {
  const format = textOf(argv, "format")
  const file = textOf(argv, "out") ?? `report.${format ?? "html"}`
  const ending = extname(file).toLowerCase().slice(1)
  if (file === "" || !formats.some((each) => each === ending)) {
    return wrong(`--out ${JSON.stringify(file)} does not end with .html, .pdf or .png.`)
  }
  return format === undefined || formatOf(file) === format
    ? Result.succeed(file)
    : wrong(
        `--format ${format} and --out ${file} name two formats: end the file's name with .${format}.`,
      )
}

const daysOf = (argv: Arguments): Result.Result<number, UsageError> => {
  const text = textOf(argv, "days") ?? ""
  const days = Number(text)
  return /^\d+$/.test(text) && days >= 1 && days <= MOST_DAYS
    ? Result.succeed(days)
    : wrong(`--days ${text} is not a whole number from 1 to ${MOST_DAYS}.`)
}

const lastDayOf = (argv: Arguments): Result.Result<number | undefined, UsageError> => {
  const text = textOf(argv, "to")
  if (text === undefined) return Result.succeed(text)
  const day = parseDay(text)
  return day === undefined
    ? wrong(`--to ${text} is not a day such as 2026-05-31.`)
    : Result.succeed(day)
}
