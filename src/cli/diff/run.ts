// Finds the runs that are meant and prints what changed between them.
import * as Effect from "effect/Effect"
import { countChanges, readChanges, spanOf } from "../../pipelines/readers/diff.ts"
import { openPublishedCopy } from "../../pipelines/readers/published.ts"
import { findRun, readRunHistory } from "../../pipelines/readers/runs.ts"
import { vaultNamed } from "../../pipelines/readers/vaultNamed.ts"
import { rowLimit, textOf, textsOf } from "../arguments.ts"
import type { Arguments } from "../Command.ts"
import { UsageError } from "../errors.ts"
import { execute, stopped } from "../execute.ts"
import { type ExitCode, exitCodes } from "../exit.ts"
import { printReport } from "../report.ts"
import { diffText } from "./texts.ts"

export const runDiff = (argv: Arguments): Promise<ExitCode> =>
  execute(
    argv,
    ({ settings: { dataDir } }) =>
      Effect.gen(function* () {
        const [one, other, ...more] = textsOf(argv, "run")
        if (one === undefined || more.length > 0) {
          return yield* new UsageError({
            why: "Name one run or two.",
            advice: "`vaulthouse diff last` shows the newest; `vaulthouse runs` lists them all.",
          })
        }
        const limit = yield* rowLimit(argv)
        const copy = yield* openPublishedCopy(dataDir)
        const vault = textOf(argv, "vault")
        const options = {
          table: textOf(argv, "table"),
          vault: vault === undefined ? undefined : yield* vaultNamed(copy, vault),
        }
        const history = yield* readRunHistory(copy, dataDir)
        const first = yield* findRun(history, one)
        const second = other === undefined ? undefined : yield* findRun(history, other)
        const span = spanOf(history, first, second)
        const tables = yield* countChanges(copy, span, options)
        const rows =
          options.table === undefined ? undefined : yield* readChanges(copy, span, options, limit)
        const found = { from: span.from?.run_id ?? null, to: span.to.run_id, tables, rows }
        printReport(argv, found, diffText)
        return exitCodes.ok
      }).pipe(Effect.scoped),
    stopped,
  )
