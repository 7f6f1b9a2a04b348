// What a data-quality check found, and the limits that rules and texts name.

export type Severity = "warn" | "error"

/** Clocks of the service and of this machine may differ; a day's fact may be dated at its end. */
export const SKEW_SECONDS = 3600

/** The rule that a check holds rows to. */
export interface CheckedRule {
  readonly name: string
  /** In a sentence. */
  readonly description: string
  /** `error`: the warehouse contradicts itself. `warn`: the service reports something implausible. */
  readonly severity: Severity
  readonly tolerance: number | null
}

export type CheckOutcome = "passed" | "failed" | "not_applicable"

export interface CheckResult extends CheckedRule {
  readonly outcome: CheckOutcome
  readonly failures: number
  /** Tables it needs that have no rows, which is why there was nothing to check. */
  readonly emptyTables: ReadonlyArray<string>
  /** Up to five offending rows. */
  readonly examples: ReadonlyArray<Readonly<Record<string, unknown>>>
}
