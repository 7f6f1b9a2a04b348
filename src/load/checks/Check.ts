// What a data-quality check is: a select of the rows that offend, whoever wrote it.

export type Severity = "warn" | "error"

/** Which rows are judged. */
export interface Scope {
  /** Only rows written since, in microseconds since 1970 UTC; absent: all. */
  readonly since: number | undefined
  /** Of the keys written since, only this part: for a check that has `writtenRows`. */
  readonly part?: { readonly at: number; readonly of: number }
}

export interface Check {
  readonly name: string
  /** The rule in a sentence. */
  readonly description: string
  /** `error`: the warehouse contradicts itself. `warn`: the service says what is hardly so. */
  readonly severity: Severity
  readonly tolerance: number | null
  /** Tables as `schema.name`; where one of them has no rows there is nothing to judge. */
  readonly needs: ReadonlyArray<string>
  /** Whether it can judge the rows of one run alone, at a cost that does not grow with history. */
  readonly isIncremental: boolean
  /**
   * FROM and WHERE of the rows written since, of a check that compares keys: so many at once do not fit into the
   * writer's memory, and it is asked a part of the keys at a time.
   */
  readonly writtenRows?: (scope: Scope) => string
  /** The offending rows, best with their key first. Names tables as `schema.name`. */
  readonly sql: (scope: Scope) => string
}

export type CheckOutcome = "passed" | "failed" | "not_applicable"

export interface CheckResult extends Pick<
  Check,
  "name" | "description" | "severity" | "tolerance"
> {
  readonly outcome: CheckOutcome
  readonly failures: number
  /** Tables it needs that have no rows, which is why there was nothing to judge. */
  readonly emptyTables: ReadonlyArray<string>
  /** Up to five offending rows. */
  readonly examples: ReadonlyArray<Readonly<Record<string, unknown>>>
}
