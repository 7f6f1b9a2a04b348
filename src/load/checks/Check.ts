// A data-quality check: a query for the rows that break a rule.
import type { Table } from "../../domain/table.ts"

export type Severity = "warn" | "error"

/** Which rows are checked. */
export interface Scope {
  /** Only rows written since, in microseconds since 1970 UTC; absent: all. */
  readonly since: number | undefined
  /** Only rows whose event time is in these months, YYYY-MM, both included: for a check with `monthsOf`. */
  readonly months?: { readonly from: string; readonly to: string }
}

export interface Check {
  readonly name: string
  /** The rule in a sentence. */
  readonly description: string
  /** `error`: the warehouse contradicts itself. `warn`: the service reports something implausible. */
  readonly severity: Severity
  readonly tolerance: number | null
  /** Tables as `schema.name`; without rows in each of them there is nothing to check. */
  readonly needs: ReadonlyArray<string>
  /** Whether it can check the rows of one run alone, at a cost that does not grow with history. */
  readonly isIncremental: boolean
  /**
   * A table whose keys hold the event time: equal keys are of one month, so the check runs over the months a run
   * touched, a few at a time. Comparing all keys at once would be the peak of a run's memory.
   */
  readonly monthsOf?: Table
  /** For a rule about single rows: one scan of the table tests all of its rules of this kind first. */
  readonly ofRows?: {
    /** The rows to be checked, as `t`. */
    readonly from: (scope: Scope) => string
    /** Whether `t` may offend, never null; if so, `sql` decides. */
    readonly mayOffend: (scope: Scope) => string
  }
  /** The offending rows, their key first. Names tables as `schema.name`. */
  readonly sql: (scope: Scope) => string
}

export type CheckOutcome = "passed" | "failed" | "not_applicable"

export interface CheckResult extends Pick<
  Check,
  "name" | "description" | "severity" | "tolerance"
> {
  readonly outcome: CheckOutcome
  readonly failures: number
  /** Tables it needs that have no rows, which is why there was nothing to check. */
  readonly emptyTables: ReadonlyArray<string>
  /** Up to five offending rows. */
  readonly examples: ReadonlyArray<Readonly<Record<string, unknown>>>
}
