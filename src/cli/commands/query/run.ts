// vaulthouse query: one statement, or a shell, on the published copy.
import { readFileSync } from "node:fs"
import { text as readAll } from "node:stream/consumers"
import * as Effect from "effect/Effect"
import { UsageError } from "../../../domain/UsageError.ts"
import { readReason } from "../../../domain/values/fileReason.ts"
import { openReader } from "../../../pipelines/readers/published.ts"
import { readAsOf, readerAsOf } from "../../../serve/asOf/asOf.ts"
import { instantOf, numberOf, pairsOf, secondsOf, textOf } from "../../parse/arguments.ts"
import type { Arguments } from "../../parse/Command.ts"
import { wrongUse } from "../../parse/errors.ts"
import { execute, stopped } from "../../execute/execute.ts"
import { streams } from "../../terminal/output.ts"
import { terminalWidth } from "../../terminal/terminal.ts"
import { typedValues } from "../../../pipelines/readers/query/typedValues.ts"
import { parametersFor } from "./parameters.ts"
import { type Format, queryAndPrint, type QueryOptions } from "./formats.ts"
import { historyFile, shell } from "./shell.ts"

// More rows are of no use on a screen; the last line says how many there are and how to see them.
const TABLE_ROWS = 1000

export const runQuery = (argv: Arguments) =>
  execute(
    argv,
    function* ({ settings }) {
      const options = yield* readOptions(argv)
      const sql = yield* readSql(argv)
      const { dataDir, queryMemoryLimit: memoryLimit, queryDiskLimit: diskLimit } = settings
      const reader = yield* openReader(dataDir, { memoryLimit, diskLimit })
      const instant = yield* instantOf(argv, "as-of")
      const copy =
        instant === undefined ? reader : readerAsOf(reader, yield* readAsOf(reader, instant))
      if (sql === undefined) yield* shell(copy, options, historyFile(dataDir))
      else {
        const parameters = yield* parametersFor(sql, options.parameters)
        yield* queryAndPrint(copy, sql, { ...options, parameters })
      }
    },
    stopped,
  )

const readOptions = Effect.fnUntraced(function* (argv: Arguments) {
  const isTerminal = streams().stdout.isTTY === true
  const format = (textOf(argv, "format") ?? (isTerminal ? "table" : "csv")) as Format
  const defaultRows = format === "table" ? TABLE_ROWS : Infinity
  const advice = "`--param day=2026-01-31` sets $day in the SQL."
  return {
    format,
    maxRows: argv["max-rows"] === undefined ? defaultRows : yield* numberOf(argv, "max-rows", 0),
    parameters: typedValues(yield* pairsOf(argv, "param", advice)),
    maxWidth: textOf(argv, "format") === undefined ? terminalWidth() : Infinity,
    csvSafe: argv["csv-safe"] === true,
    timeoutSeconds: yield* secondsOf(argv, "timeout"),
  } satisfies QueryOptions
})

const noSql = wrongUse(
  "There is no SQL: neither as an argument, nor with --file, nor on standard input.",
  'For example: vaulthouse query "select * from mart.vault_latest"',
)

/** `undefined` if no SQL was given and standard input is a terminal. */
const readSql = (argv: Arguments): Effect.Effect<string | undefined, UsageError> => {
  const typed = textOf(argv, "sql")
  const file = textOf(argv, "file")
  if (typed !== undefined && file !== undefined) {
    return wrongUse("Give the SQL as an argument or with --file, not both.")
  }
  if (typed !== undefined) return typed.trim() === "" ? noSql : Effect.succeed(typed)
  if (file !== undefined) {
    return Effect.try({
      try: () => readFileSync(file, "utf8"),
      catch: (cause) =>
        new UsageError({
          why: `--file ${file} can't be read: ${readReason(cause)}.`,
        }),
    })
  }
  const { stdin } = streams()
  if (stdin.isTTY === true) return Effect.succeed(undefined)
  return Effect.promise(() => readAll(stdin)).pipe(
    Effect.flatMap((sql) => (sql.trim() === "" ? noSql : Effect.succeed(sql))),
  )
}
