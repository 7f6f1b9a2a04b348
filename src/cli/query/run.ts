// One question, or a shell of them, over the published copy.
import { readFileSync } from "node:fs"
import { text as readAll } from "node:stream/consumers"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { openPublishedCopy } from "../../pipelines/readers/published.ts"
import { type Arguments, textOf } from "../Command.ts"
import { UsageError } from "../errors.ts"
import { execute } from "../execute.ts"
import { type ExitCode, exitCodes } from "../exit.ts"
import { askAndPrint, type Printing } from "./askAndPrint.ts"
import { parametersFor } from "./declared.ts"
import type { Format } from "./formats.ts"
import { readParameters } from "./parameters.ts"
import { historyFile, shell } from "./shell.ts"

// More does not fit a screen; the last line says how many there are and how to see them.
const TABLE_ROWS = 1000

export const runQuery = (argv: Arguments): Promise<ExitCode> =>
  execute(argv, ({ settings: { dataDir } }) =>
    Effect.gen(function* () {
      const printing = yield* Effect.fromResult(readPrinting(argv))
      const sql = yield* readSql(argv)
      const copy = yield* openPublishedCopy(dataDir)
      if (sql === undefined) yield* shell(copy, printing, historyFile(dataDir), process)
      else {
        const parameters = yield* Effect.fromResult(parametersFor(sql, printing.parameters))
        yield* askAndPrint(copy, sql, { ...printing, parameters }, process.stdout)
      }
      return exitCodes.ok
    }).pipe(Effect.scoped),
  )

const readPrinting = (argv: Arguments): Result.Result<Printing, UsageError> => {
  const format = (textOf(argv, "format") ?? (process.stdout.isTTY ? "table" : "csv")) as Format
  const text = textOf(argv, "max-rows")
  const maxRows = text === undefined ? (format === "table" ? TABLE_ROWS : Infinity) : Number(text)
  if (!(maxRows === Infinity || (Number.isSafeInteger(maxRows) && maxRows >= 0))) {
    return Result.fail(new UsageError({ why: `--max-rows ${text} is not a number of rows.` }))
  }
  return Result.map(readParameters(argv["param"]), (parameters) => ({
    format,
    maxRows,
    parameters,
    turns: textOf(argv, "format") === undefined,
  }))
}

const noSql = Effect.fail(
  new UsageError({
    why: "No SQL: neither an argument, nor --file, nor anything on standard input.",
    advice: 'For example: vaulthouse query "select * from mart.vault_latest"',
  }),
)

/** `undefined`: nothing was given and a person sits there. */
const readSql = (argv: Arguments): Effect.Effect<string | undefined, UsageError> => {
  const typed = textOf(argv, "sql")
  const file = textOf(argv, "file")
  if (typed !== undefined && file !== undefined) {
    return Effect.fail(
      new UsageError({ why: "Give the SQL as an argument or with --file, not both." }),
    )
  }
  if (typed !== undefined) return typed.trim() === "" ? noSql : Effect.succeed(typed)
  if (file !== undefined) {
    return Effect.try({
      try: () => readFileSync(file, "utf8"),
      catch: (cause) =>
        new UsageError({
          why: `--file ${file} can't be read (${(cause as NodeJS.ErrnoException).code ?? String(cause)}).`,
        }),
    })
  }
  if (process.stdin.isTTY) return Effect.succeed(undefined)
  return Effect.promise(() => readAll(process.stdin)).pipe(
    Effect.flatMap((sql) => (sql.trim() === "" ? noSql : Effect.succeed(sql))),
  )
}
