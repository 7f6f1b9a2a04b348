// A data-quality check: a query for the rows that break a rule.
import type { CheckedRule } from "../../domain/run/checkResult.ts"
import type { Table } from "../../domain/table/table.ts"

/** More rows in one statement cost memory, fewer a statement more. */
export const ROWS_AT_ONCE = 150_000

/** Which rows are checked. */
export interface Scope {
  /** Only rows written since, in microseconds since 1970 UTC; absent: all. */
  readonly since: number | undefined
  /** Only rows whose event time is in these months, YYYY-MM, both included: for a check with `monthsOf`. */
  readonly months?: { readonly from: string; readonly to: string }
}

/** What a value may be looked up in by `screen`: ids of runs, of responses that landed, addresses of vaults … */
export type LookUp =
  | "known_runs"
  | "landed_responses"
  | "known_vaults"
  | "known_chains"
  | "known_subaccounts"
  | "known_loans"

/** A cheap test of the rows of one table or mart, together with those of its other rules and of other tables. */
export interface Screening {
  /** The rows to be checked, with `flags`: expressions over a stored row `t`, with names. */
  readonly from: (scope: Scope, flags: ReadonlyArray<string>) => string
  /** Whether `t` may offend, so that the check's `sql` decides; with `lookUp`, a value that offends where it is not found. */
  readonly mayOffend: (scope: Scope) => string
  readonly lookUp?: LookUp
  /** `mayOffend` is a hash that offends where it is null, or two rows have it. */
  readonly isUnique?: true
  /** `t` is a stored row; otherwise what `from` makes of it. */
  readonly isOfStoredRow: boolean
}

export interface Check extends CheckedRule {
  /** Tables as `schema.name`; without rows in each of them there is nothing to check. */
  readonly needs: ReadonlyArray<string>
  /** Whether it can check the rows of one run alone, at a cost that does not grow with history. */
  readonly isIncremental: boolean
  /**
   * A table whose keys hold the event time: equal keys are of one month, so the check runs over the months a run
   * touched, a few at a time. Comparing all keys at once would be the peak of a run's memory.
   */
  readonly monthsOf?: Table
  /** For a rule about a table's rows: `screen` looks first whether any may offend. */
  readonly screening?: Screening
  /** The offending rows, their key first. Names tables as `schema.name`. */
  readonly sql: (scope: Scope) => string
}
