// The data-quality checks: all of them over all rows (`vaulthouse check`), or at the end of a run the cheap ones
// over the rows it wrote.
import * as Effect from "effect/Effect"
import type { Check } from "../../load/checks/Check.ts"
import { findOffenders, recordResults, touchedTables } from "../../load/checks/runChecks.ts"
import { number, optional } from "../../load/duckdb/decodeRow.ts"
import { sqlFile } from "../../load/sql/sqlFile.ts"
import { commandId } from "../../domain/run/commandId.ts"
import { LoadError } from "../../load/errors.ts"
import { Warehouse } from "../../load/Warehouse.ts"
import { coreTables, tables } from "../pipelines.ts"
import { contractChecks, type ContractSettings } from "./contractChecks.ts"
import { recordHealth } from "./health.ts"
import { createMartViews } from "./martViews.ts"
import { endedChecks } from "./recheck.ts"
import { existingWarehouse, type Place, placeOf } from "./warehouse.ts"
import type { CheckResult } from "../../domain/run/checkResult.ts"

export interface CheckOptions extends Place, ContractSettings {
  /** Names of checks, or of tables, whose checks to run; all when empty. */
  readonly names: ReadonlyArray<string>
}

/** Loaded when it is needed: it reads the files of warehouse/. */
const declared = Effect.promise(() => import("../../load/checks/declaredChecks.ts"))

/** The checks of the declarations of tables and marts and of frozen contracts, then those of warehouse/checks. */
export const allChecks = (settings: ContractSettings = {}): Effect.Effect<ReadonlyArray<Check>> =>
  Effect.map(declared, ({ declaredChecks }) => {
    const { ofTables, ofMarts, ofFiles } = declaredChecks(tables)
    return [...ofTables, ...contractChecks(settings), ...ofMarts, ...ofFiles]
  })

/** What the checks leave open. */
export const coverage = Effect.map(declared, ({ coverageOf }) => coverageOf(coreTables))

/** Whether `typed` is the check's name, or that of its table. */
export const isNamed = ({ name }: Check, typed: string): boolean =>
  name === typed || name.startsWith(`${typed}.`)

/** Checks every row, under the warehouse's lock, and records the results. */
export const check = Effect.fnUntraced(function* (options: CheckOptions) {
  const runId = yield* commandId("check")
  const opened = (known: typeof coreTables) =>
    checked(runId, options).pipe(
      Effect.provide(
        existingWarehouse("Checking the warehouse", {
          ...placeOf(options),
          tables: known,
          runId,
        }),
      ),
    )
  return yield* opened(coreTables).pipe(
    // A column that lost its constraint must not prevent the checks that report it.
    Effect.catchIf(
      (error) => error instanceof LoadError && error.reason === "Migration",
      () => opened([]),
    ),
  )
})

const checked = Effect.fnUntraced(function* (runId: string, { names, ...settings }: CheckOptions) {
  yield* createMartViews
  const all = yield* allChecks(settings)
  const chosen = all.filter(
    (each) => names.length === 0 || names.some((name) => isNamed(each, name)),
  )
  const results = yield* findOffenders(chosen, { since: undefined })
  yield* recordResults(runId, [...results, ...(yield* endedChecks(all))])
  yield* recordHealth
  return results
})

/**
 * Checks what has been written since the run began, in this process or an earlier one, in a lake also by other runs; what earlier
 * runs wrote that ended before their checks; and every frozen contract. Records nothing.
 */
export const checkTouched = Effect.fnUntraced(function* (settings: ContractSettings = {}) {
  const { openedAt, rows, runId } = yield* Warehouse
  const found = yield* rows(sqlFile("state", "unchecked_since"), [runId])
  const [begun = openedAt] = found.map(optional(number)("at"))
  const since = Math.min(openedAt, begun)
  const touched = yield* touchedTables(since)
  const frozen = contractChecks(settings)
  if (touched.size === 0 && frozen.length === 0) return []
  // No mart's: they are computed whole, and their declarations take a run without news a seventh of its time to read.
  const { rowChecks } = yield* Effect.promise(() => import("../../load/checks/rowChecks.ts"))
  const chosen = rowChecks(tables).filter(
    ({ isIncremental, needs }) => isIncremental && needs.some((table) => touched.has(table)),
  )
  return yield* findOffenders([...chosen, ...frozen], { since })
})

/** Whether a check of severity `error` failed. */
export const hasErrors = (results: ReadonlyArray<CheckResult>): boolean =>
  results.some(({ outcome, severity }) => outcome === "failed" && severity === "error")
