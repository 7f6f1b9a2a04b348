// Runs checks against the warehouse and records their results in one transaction.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { microsFromMillis } from "../../domain/time.ts"
import { decodeRow, number, text } from "../decodeRow.ts"
import { rowsOf } from "../rowsOf.ts"
import type { Row } from "../readRows.ts"
import { CATALOG, instant, qualified } from "../sql.ts"
import { checkResults } from "../tables/check_results.ts"
import { Warehouse } from "../Warehouse.ts"
import type { Check, CheckResult, Scope } from "./Check.ts"

const MAX_EXAMPLES = 5
const COUNT = "_offending"

/** The result of each check, in the order of `checks`. */
export const findOffenders = Effect.fnUntraced(function* (
  checks: ReadonlyArray<Check>,
  scope: Scope,
) {
  const warehouse = yield* Warehouse
  const hasRows = new Map<string, boolean>()
  const isFilled = Effect.fnUntraced(function* (table: string) {
    const known = hasRows.get(table)
    if (known !== undefined) return known
    const found = (yield* warehouse.rows(`select 1 from ${table} limit 1`)).length > 0
    hasRows.set(table, found)
    return found
  })
  const passed = new Set<Check>()
  for (const [table, ofTable] of Map.groupBy(checks.filter(hasOfRows), ({ needs }) => needs[0])) {
    const [counted = {}] = yield* warehouse.rows(offendersOf(ofTable, scope))
    if (Number(counted["checked"]) > 0) hasRows.set(table ?? "", true)
    for (const [at, check] of ofTable.entries()) {
      if (Number(counted[`offending_${at}`]) === 0) passed.add(check)
    }
  }
  const results: Array<CheckResult> = []
  for (const check of checks) {
    const { name, description, severity, tolerance } = check
    const result = { name, description, severity, tolerance }
    const filled = yield* Effect.forEach(check.needs, isFilled)
    const emptyTables = check.needs.filter((_, at) => filled[at] === false)
    if (emptyTables.length > 0) {
      results.push({ ...result, outcome: "not_applicable", failures: 0, emptyTables, examples: [] })
      continue
    }
    let failures = 0
    const examples: Array<Row> = []
    for (const part of passed.has(check) ? [] : yield* partsOf(check, scope)) {
      const rows = yield* warehouse.rows(
        `select *, count(*) over ()::double as ${COUNT} from (${check.sql(part)}) limit ${MAX_EXAMPLES}`,
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

const hasOfRows = (check: Check): check is Check & Required<Pick<Check, "ofRows">> =>
  check.ofRows !== undefined

/** Counts the rows to be checked of one table, and those that may offend against each check. */
const offendersOf = (
  checks: ReadonlyArray<Required<Pick<Check, "ofRows">>>,
  scope: Scope,
): string => {
  const offends = checks.map(({ ofRows }, at) => `${ofRows.mayOffend(scope)} as offends_${at}`)
  const counts = checks.map(
    (_, at) => `(count(*) filter (offends_${at}))::double as offending_${at}`,
  )
  return `select count(*)::double as checked, ${counts.join(", ")}
    from (select ${offends.join(", ")} from ${checks[0]?.ofRows.from(scope) ?? ""})`
}

// More rows at once take more memory, fewer take more statements.
const ROWS_AT_ONCE = 150_000

/** `scope`, or the months of it that a run touched, in parts of about `ROWS_AT_ONCE` rows. */
const partsOf = Effect.fnUntraced(function* ({ monthsOf: table }: Check, scope: Scope) {
  if (table === undefined || scope.since === undefined) return [scope]
  const { rows } = yield* Warehouse
  const touched = yield* rows(
    `select month, (select count(*) from ${qualified(table)})::double as stored
     from ${CATALOG}.ops.partition_changes
     where table_schema = $1 and table_name = $2 and changed_at >= ${instant(scope.since)}
     order by month`,
    [table.schema, table.name],
  )
  const months = touched.map(decodeRow({ month: text("month"), stored: number("stored") }))
  const stored = months[0]?.stored ?? 0
  const atOnce = Math.max(1, Math.floor((months.length * ROWS_AT_ONCE) / Math.max(1, stored)))
  return months.flatMap(({ month: from }, at) => {
    const to = months[Math.min(at + atOnce, months.length) - 1]?.month ?? from
    return at % atOnce === 0 ? [{ ...scope, months: { from, to } }] : []
  })
})

const withoutCount = (row: Row): Row =>
  Object.fromEntries(Object.entries(row).filter(([name]) => name !== COUNT))

/** The results as rows of ops.check_results. */
export const resultRows = Effect.fnUntraced(function* (
  runId: string,
  results: ReadonlyArray<CheckResult>,
) {
  const checked_at = microsFromMillis(yield* Clock.currentTimeMillis)
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
