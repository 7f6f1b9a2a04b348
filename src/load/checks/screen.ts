// Screens several tables for rows that may break a rule, in one statement: a rule that all rows keep then needs no
// statement of its own.
import * as Effect from "effect/Effect"
import { instant } from "../sql/sql.ts"
import { Warehouse } from "../Warehouse.ts"
import { type Check, type LookUp, ROWS_AT_ONCE, type Scope, type Screening } from "./Check.ts"

/** Two columns as one value, which no other pair has, only for the screening. */
const CHAIN_AND_ADDRESS = "chain_id || ' ' || vault_address"

const lookUps: Readonly<Record<LookUp, (scope: Scope) => string>> = {
  known_runs: () => "select run_id from ops.runs",
  landed_responses: ({ since }) => `select response_id from raw.responses
    where is_landed ${since === undefined ? "" : `and received_at >= ${instant(since)}`}`,
  known_vaults: () => "select vault_address from core.vaults where vault_address is not null",
  known_chains: () => `select ${CHAIN_AND_ADDRESS} from core.vaults where chain_id is not null`,
  known_subaccounts: () => `select subaccount_address from core.subaccounts
    union all select subaccount_address from core.my_subaccounts
    union all select subaccount_address from core.vault_subaccounts`,
  known_loans: () => "select loan_id from core.loans",
}

type Screened = Check & { readonly screening: Screening }

const isScreened = (check: Check): check is Screened => check.screening !== undefined

const UNIQUE = "unique_hash"

/** Where each check's result stands: those that look up have a column for each thing that is looked up. */
const columnsOf = (checks: ReadonlyArray<Screened>): ReadonlyMap<string, Screened> =>
  new Map(
    checks.map((check, at) => {
      const { lookUp, isUnique } = check.screening
      return [lookUp ?? (isUnique === true ? UNIQUE : `flag_${at}`), check] as const
    }),
  )

const isLookUp = (column: string): column is LookUp => column in lookUps

const typeOf = (column: string): string =>
  isLookUp(column) ? "varchar" : column === UNIQUE ? "ubigint" : "boolean"

const countOf = (column: string): string => {
  if (column === UNIQUE) return `count(*) - count(distinct ${column})`
  return `count(*) filter (${isLookUp(column) ? `screened.${column} not in (from ${column})` : column})`
}

/** Counts the rows that may offend by table and column. All tables in one query: each look-up is one join for all of them. */
const statement = (
  tables: ReadonlyArray<ReadonlyMap<string, Screened>>,
  scopeOf: (table: string) => Scope,
): string => {
  const columns = [...new Set(tables.flatMap((checks) => [...checks.keys()]))]
  const selects = tables.map((checks, place) => {
    const scope = scopeOf(tableOf([...checks.values()]))
    const flags: Array<string> = []
    const values = columns.map((column) => {
      const screening = checks.get(column)?.screening
      if (screening === undefined) return `null::${typeOf(column)}`
      const value = `${screening.mayOffend(scope)} as ${column}`
      if (screening.isOfStoredRow) flags.push(value)
      return screening.isOfStoredRow ? column : value
    })
    const [first] = checks.values()
    return `select ${[place, ...values].join(", ")} from ${first?.screening.from(scope, flags) ?? ""}`
  })
  const used = columns.filter(isLookUp)
  const steps = [
    ...used.map((name) => `${name} as (${lookUps[name](scopeOf("raw.responses"))})`),
    `screened (place, ${columns.join(", ")}) as (${selects.join(" union all ")})`,
  ]
  const counts = columns.map((column) => `(${countOf(column)})::double as ${column}`)
  return `with ${steps.join(", ")}
    select place, ${counts.join(", ")} from screened group by place`
}

// However few its rows, a table that changes slowly needs several megabytes for its windows: 20 of them took all 128 MB.
const LEAST_ROWS = 25_000

/** Tables in groups of so many rows, those that are looked up included: DuckDB reads all tables of a statement in turns. */
const together = (
  tables: ReadonlyArray<ReadonlyArray<Screened>>,
  rowCounts: ReadonlyMap<string, number>,
): ReadonlyArray<ReadonlyArray<ReadonlyArray<Screened>>> => {
  const lookedUp = rowCounts.get("raw.responses") ?? 0
  const groups: Array<Array<ReadonlyArray<Screened>>> = []
  let rows = Infinity
  for (const checks of tables) {
    const more = Math.max(LEAST_ROWS, lookedUp + (rowCounts.get(tableOf(checks)) ?? Infinity))
    rows += more
    if (rows > ROWS_AT_ONCE) {
      groups.push([])
      rows = more
    }
    groups.at(-1)?.push(checks)
  }
  return groups
}

const tableOf = ([check]: ReadonlyArray<Screened>): string => check?.needs[0] ?? ""

/** The checks that all rows pass, and which tables are known to have rows, or none. */
export const screen = Effect.fnUntraced(function* (
  checks: ReadonlyArray<Check>,
  scope: Scope,
  rowCounts: ReadonlyMap<string, number>,
) {
  const { hasWrittenAll, rows } = yield* Warehouse
  // Of a table that was empty before, all rows were written since: it is read once, not twice.
  const scopeOf = (table: string) => (hasWrittenAll(table) ? { ...scope, since: undefined } : scope)
  // An empty table has no row that may offend, and planning a statement takes longer than it takes to run.
  const screened = checks.filter(isScreened).filter((each) => rowCounts.get(tableOf([each])) !== 0)
  const byTable = Map.groupBy(screened, (check) => tableOf([check]))
  const passed = new Set<Check>()
  const filled = new Map<string, boolean>()
  for (const group of together([...byTable.values()], rowCounts)) {
    const tables = group.map(columnsOf)
    const found = yield* rows(statement(tables, scopeOf))
    for (const [at, ofTable] of tables.entries()) {
      const counts = found.find(({ place }) => place === at)
      const table = tableOf([...ofTable.values()])
      if (counts !== undefined || scopeOf(table).since === undefined)
        filled.set(table, counts !== undefined)
      for (const [column, check] of ofTable) if (!(Number(counts?.[column]) > 0)) passed.add(check)
    }
  }
  return { passed, filled }
})
