// Finds the given runs and prints what changed between them.
import * as Effect from "effect/Effect"
import { parseInstant } from "../../../domain/values/time.ts"
import type { UsageError } from "../../../domain/UsageError.ts"
import { countChanges, readChanges, spanOf } from "../../../pipelines/readers/diff.ts"
import { openPublishedCopy } from "../../../pipelines/readers/openPublishedCopy.ts"
import {
  findRun,
  type RunHistory,
  type RunRow,
  readRunHistory,
} from "../../../pipelines/readers/runs.ts"
import { martChanges } from "../../../serve/asOf/martChanges.ts"
import { vaultNamed } from "../../../pipelines/readers/vaultNamed.ts"
import { rowLimit, textOf, textsOf } from "../../parse/arguments.ts"
import type { Arguments } from "../../parse/Command.ts"
import { wrongUse } from "../../parse/errors.ts"
import { execute, stopped } from "../../execute/execute.ts"
import { printReport } from "../../execute/report.ts"
import { diffText } from "./texts.ts"

/** A run, or the newest that had begun at an instant. */
const runNamed = (history: RunHistory, typed: string): Effect.Effect<RunRow, UsageError> => {
  const instant = /^\d{4}-\d{2}-\d{2}/.test(typed) ? parseInstant(typed) : undefined
  if (instant === undefined) return findRun(history, typed)
  const run = history.runs.find(({ started_at }) => (parseInstant(started_at) ?? 0) <= instant)
  return run === undefined
    ? wrongUse(`Nothing was known at ${typed}: no run had begun.`, "`vaulthouse runs` lists them.")
    : Effect.succeed(run)
}

/** The last instant before the next run, in microseconds; now for the newest run. */
const knownAfter = ({ runs }: RunHistory, { run_id }: RunRow): number | undefined => {
  const next = runs[runs.findIndex((run) => run.run_id === run_id) - 1]
  return next === undefined ? undefined : (parseInstant(next.started_at) ?? 0) - 1
}

export const runDiff = (argv: Arguments) =>
  execute(
    argv,
    function* ({ settings: { dataDir } }) {
      const [one, other, ...more] = textsOf(argv, "run")
      if (one === undefined || more.length > 0) {
        return yield* wrongUse(
          "Name one run or two.",
          "`vaulthouse diff last` shows the newest; `vaulthouse runs` lists them all.",
        )
      }
      const limit = yield* rowLimit(argv)
      const copy = yield* openPublishedCopy(dataDir)
      const vault = textOf(argv, "vault")
      const options = {
        table: textOf(argv, "table"),
        vault: vault === undefined ? undefined : yield* vaultNamed(copy, vault),
      }
      const history = yield* readRunHistory(copy, dataDir)
      const first = yield* runNamed(history, one)
      const second = other === undefined ? undefined : yield* runNamed(history, other)
      const span = spanOf(history, first, second)
      const mart = options.table?.startsWith("mart.") === true ? options.table : undefined
      if (mart !== undefined) {
        const changes = yield* martChanges(copy, mart, {
          before: span.from && knownAfter(history, span.from),
          after: knownAfter(history, span.to),
          vault: options.vault,
          limit,
        })
        const found = { from: span.from?.run_id ?? null, to: span.to.run_id, ...changes }
        return printReport(argv, found, diffText)
      }
      const tables = yield* countChanges(copy, span, options)
      const rows =
        options.table === undefined ? undefined : yield* readChanges(copy, span, options, limit)
      const found = { from: span.from?.run_id ?? null, to: span.to.run_id, tables, rows }
      printReport(argv, found, diffText)
    },
    stopped,
  )
