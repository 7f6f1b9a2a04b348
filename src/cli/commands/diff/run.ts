// Finds the given runs and prints what changed between them.
import { countChanges, readChanges, spanOf } from "../../../pipelines/readers/diff.ts"
import { openPublishedCopy } from "../../../pipelines/readers/openPublishedCopy.ts"
import { findRun, readRunHistory } from "../../../pipelines/readers/runs.ts"
import { vaultNamed } from "../../../pipelines/readers/vaultNamed.ts"
import { rowLimit, textOf, textsOf } from "../../parse/arguments.ts"
import type { Arguments } from "../../parse/Command.ts"
import { wrongUse } from "../../parse/errors.ts"
import { execute, stopped } from "../../execute/execute.ts"
import { printReport } from "../../execute/report.ts"
import { diffText } from "./texts.ts"

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
      const first = yield* findRun(history, one)
      const second = other === undefined ? undefined : yield* findRun(history, other)
      const span = spanOf(history, first, second)
      const tables = yield* countChanges(copy, span, options)
      const rows =
        options.table === undefined ? undefined : yield* readChanges(copy, span, options, limit)
      const found = { from: span.from?.run_id ?? null, to: span.to.run_id, tables, rows }
      printReport(argv, found, diffText)
    },
    stopped,
  )
