// Runs checks against the warehouse and records their results in one transaction.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { microsFromMillis } from "../../domain/values/time.ts"
import { tableName } from "../../domain/table/table.ts"
import { decodeRow, text } from "../duckdb/decodeRow.ts"
import { rowsOf } from "../../domain/table/rowsOf.ts"
import type { Row } from "../duckdb/readRows.ts"
import { CATALOG, instant } from "../sql/sql.ts"
import { checkResults } from "../tables/ops/check_results.ts"
import { Warehouse } from "../Warehouse.ts"
import { type Check, ROWS_AT_ONCE, type Scope } from "./Check.ts"
import { screen } from "./screen.ts"
import type { CheckResult } from "../../domain/run/checkResult.ts"

const MAX_EXAMPLES = 5
const COUNT = "_offending"

/** The result of each check, in the order of `checks`. */
export const findOffenders = Effect.fnUntraced(function* (
  checks: ReadonlyArray<Check>,
  scope: Scope,
) {
  const { rows: read, rowCounts } = yield* Warehouse
  const stored = yield* rowCounts
  const { passed, filled } = yield* screen(checks, scope, stored)
  const scopesOf = yield* scopes(checks, scope, stored)
  const isFilled = Effect.fnUntraced(function* (table: string) {
    const known = filled.get(table)
    if (known !== undefined) return known
    // What published copies hold is made when it is first published; a mart has no count.
    if (table.startsWith("mart_tables.") && !stored.has(table)) return false
    const found =
      stored.get(table) !== 0 && (yield* read(`select 1 from ${table} limit 1`)).length > 0
    filled.set(table, found)
    return found
  })
  const results: Array<CheckResult> = []
  for (const check of checks) {
    const { name, description, severity, tolerance } = check
    const result = { name, description, severity, tolerance }
    const areFilled = yield* Effect.forEach(check.needs, isFilled)
    const emptyTables = check.needs.filter((_, at) => areFilled[at] === false)
    if (emptyTables.length > 0) {
      results.push({ ...result, outcome: "not_applicable", failures: 0, emptyTables, examples: [] })
      continue
    }
    let failures = 0
    const examples: Array<Row> = []
    for (const part of passed.has(check) ? [] : scopesOf(check)) {
      const rows = yield* read(
        `with found as materialized (${check.sql(part)})
         select *, (select count(*) from found)::double as ${COUNT} from found order by all limit ${MAX_EXAMPLES}`,
      )
      failures += Number(rows[0]?.[COUNT] ?? 0)
      examples.push(...rows.slice(0, MAX_EXAMPLES - examples.length).map(withoutCount))
    }
    results.push({
      ...result,
      outcome: failures > 0 ? "failed" : "passed",
      failures,
      emptyTables,
      examples,
    })
  }
  return results
})

const touchedMonth = decodeRow({ table: text("name"), month: text("month") })

/** The scopes of a check: `scope`, or the months of it that a run touched, as many at a time as hold so many rows. */
const scopes = Effect.fnUntraced(function* (
  checks: ReadonlyArray<Check>,
  scope: Scope,
  stored: ReadonlyMap<string, number>,
) {
  const { since } = scope
  if (since === undefined || checks.every(({ monthsOf }) => monthsOf === undefined)) {
    return (): ReadonlyArray<Scope> => [scope]
  }
  const { rows } = yield* Warehouse
  const touched = yield* rows(
    `select table_schema || '.' || table_name as name, month
     from ${CATALOG}.ops.partition_changes where changed_at >= ${instant(since)} order by all`,
  )
  const byTable = Map.groupBy(touched.map(touchedMonth), ({ table }) => table)
  return ({ monthsOf: table }: Check): ReadonlyArray<Scope> => {
    if (table === undefined) return [scope]
    const months = byTable.get(tableName(table)) ?? []
    const rowCount = Math.max(1, stored.get(tableName(table)) ?? Infinity)
    const atOnce = Math.max(1, Math.floor((months.length * ROWS_AT_ONCE) / rowCount))
    return months.flatMap(({ month: from }, at) => {
      const to = months[Math.min(at + atOnce, months.length) - 1]?.month ?? from
      return at % atOnce === 0 ? [{ ...scope, months: { from, to } }] : []
    })
  }
})

const withoutCount = (row: Row): Row =>
  Object.fromEntries(Object.entries(row).filter(([name]) => name !== COUNT))

/** The results as rows of ops.check_results. */
export const resultRows = Effect.fnUntraced(function* (
  runId: string,
  results: ReadonlyArray<CheckResult>,
) {
  const { openedAt } = yield* Warehouse
  // After the earlier results, whatever the clock says: the newest is the one that counts.
  const checked_at = Math.max(microsFromMillis(yield* Clock.currentTimeMillis), openedAt + 1)
  const records = results.map((result) => ({
    run_id: runId,
    check_name: result.name,
    severity: result.severity,
    outcome: result.outcome,
    failures: result.failures,
    tolerance: result.tolerance,
    examples: result.examples.length === 0 ? null : JSON.stringify(result.examples),
    checked_at,
  }))
  return rowsOf(checkResults, records)
})

/** Records the results in ops.check_results. */
export const recordResults = Effect.fnUntraced(function* (
  runId: string,
  results: ReadonlyArray<CheckResult>,
) {
  if (results.length === 0) return
  const { commit } = yield* Warehouse
  yield* commit({ rows: [], bookkeeping: [yield* resultRows(runId, results)] })
})

/** Tables of core that were changed since an instant (microseconds), versions included, as `schema.name`. */
export const touchedTables = Effect.fnUntraced(function* (since: number) {
  const warehouse = yield* Warehouse
  const rows = yield* warehouse.rows(
    `select distinct table_schema || '.' || table_name as name
     from ${CATALOG}.ops.partition_changes
     where changed_at >= ${instant(since)} and table_schema = 'core'`,
  )
  return new Set(rows.map(({ name }) => String(name)))
})
