// The checks of severity `error` whose newest result is a failure, at the end of a run: over all rows, since what a run wrote
// says nothing about the rows before it.
import * as Effect from "effect/Effect"
import type { CheckResult } from "../../domain/run/checkResult.ts"
import type { Check } from "../../load/checks/Check.ts"
import { findOffenders } from "../../load/checks/runChecks.ts"
import { decodeRow, oneOf, text } from "../../load/duckdb/decodeRow.ts"
import { sqlFile } from "../../load/sql/sqlFile.ts"
import { Warehouse } from "../../load/Warehouse.ts"
import { tables } from "../pipelines.ts"

const failedCheck = decodeRow({
  name: text("name"),
  severity: oneOf("error", "warn")("severity"),
})

const failedBefore = Effect.flatMap(Warehouse, ({ rows }) =>
  Effect.map(rows(sqlFile("health", "failed_checks"), [], ["ops.check_results"]), (found) =>
    found.map((row) => failedCheck(row)),
  ),
)

/** What a run that found `checked` in its own rows records: one result of each check. `all`: the checks that there are. */
export const withRechecked = Effect.fnUntraced(function* (
  checked: ReadonlyArray<CheckResult>,
  all: Effect.Effect<ReadonlyArray<Check>>,
) {
  const failed = (yield* failedBefore).map(({ name }) => name)
  // So that a warehouse in which all is well pays nothing, whatever its size.
  if (failed.length === 0) return checked
  const { rowChecks } = yield* Effect.promise(() => import("../../load/checks/rowChecks.ts"))
  const ofRows = new Map(rowChecks(tables).map((each) => [each.name, each]))
  const again = failed.flatMap((name) => {
    const found = ofRows.get(name)
    // A warning says that what came was implausible, such as a jump: it would stay for ever if that was so. What is not
    // incremental reads marts, which before a publication may be those of an earlier version: it waits for a `check`.
    return found?.isIncremental === true && found.severity === "error" ? [found] : []
  })
  const results = [
    ...(yield* findOffenders(again, { since: undefined })),
    ...(failed.every((name) => ofRows.has(name)) ? [] : yield* endedChecks(yield* all)),
  ]
  const replaced = new Set(results.map(({ name }) => name))
  return [...checked.filter(({ name }) => !replaced.has(name)), ...results]
})

/**
 * Ends the failures of checks that there are no longer, such as that of a contract which is frozen no more: nothing could
 * pass them, and `check` knows no such name.
 */
export const endedChecks = (existing: ReadonlyArray<Check>) =>
  Effect.map(failedBefore, (failed) =>
    failed
      .filter((each) => existing.every(({ name }) => name !== each.name))
      .map((each): CheckResult => ({
        ...each,
        description: "There is no such check any more",
        tolerance: null,
        outcome: "not_applicable",
        failures: 0,
        emptyTables: [],
        examples: [],
      })),
  )
