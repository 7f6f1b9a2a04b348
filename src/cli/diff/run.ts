// Reads which runs are meant, and prints what lies between them.
import * as Effect from "effect/Effect"
import { countChanges, readChanges, spanOf } from "../../pipelines/readers/diff.ts"
import { openPublishedCopy } from "../../pipelines/readers/published.ts"
import { findRun, readRunHistory } from "../../pipelines/readers/runs.ts"
import { type Arguments, textOf, textsOf } from "../Command.ts"
import { UsageError } from "../errors.ts"
import { execute } from "../execute.ts"
import { type ExitCode, exitCodes } from "../exit.ts"
import { rowLimit } from "../rowLimit.ts"
import { vaultFlag } from "../vaultFlag.ts"
import { diffText } from "./texts.ts"

export const runDiff = (argv: Arguments): Promise<ExitCode> =>
  execute(argv, ({ settings: { dataDir } }) =>
    Effect.gen(function* () {
      const [one, other, ...more] = textsOf(argv, "run")
      if (one === undefined || more.length > 0) {
        return yield* new UsageError({
          why: one === undefined ? "Between which runs?" : "Name two runs, or one.",
          advice: "`vaulthouse diff last` shows the newest; `vaulthouse runs` lists them all.",
        })
      }
      const limit = yield* rowLimit(argv)
      const options = { table: textOf(argv, "table"), vault: yield* vaultFlag(argv) }
      const copy = yield* openPublishedCopy(dataDir)
      const history = yield* readRunHistory(copy, dataDir)
      const first = yield* findRun(history, one)
      const second = other === undefined ? undefined : yield* findRun(history, other)
      const span = spanOf(history, first, second)
      const tables = yield* countChanges(copy, span, options)
      const rows =
        options.table === undefined ? undefined : yield* readChanges(copy, span, options, limit)
      const found = { from: span.from?.run_id ?? null, to: span.to.run_id, tables, rows }
      process.stdout.write(
        argv["json"] === true ? `${JSON.stringify(found, null, 2)}\n` : diffText(found),
      )
      return exitCodes.ok
    }).pipe(Effect.scoped),
  )
