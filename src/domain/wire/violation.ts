// Violations of the contract by a response or a record, and schema drift.

export interface Violation {
  /** The path in the body; `$` is the whole body. */
  readonly path: string
  readonly detail: string
  /** Lines for the setting `fields` that would settle it, of which the user chooses. */
  readonly proposal?: string
}

/** A record that can't become a row. It is quarantined; the others of its list land. */
export interface RejectedRecord extends Violation {
  readonly record: unknown
  /** Whether another record of the list has its key, so that the stored set lacks nothing without it. */
  readonly isRepeated?: true
}

/** Whether a set without these records may lack members. */
export const mayLackMembers = (
  rejected: ReadonlyArray<Pick<RejectedRecord, "isRepeated">>,
): boolean => rejected.some(({ isRepeated }) => isRepeated !== true)

/** Schema drift: a change of a field, or of what tells records apart, that is reported without a failure. */
export interface Drift {
  /** The path of the field in a record, for example `$.fee.bps`. */
  readonly path: string
  readonly kind:
    | "unknown_field"
    | "other_type"
    | "deprecated_field"
    /** The first two in a table with the contract `freeze`; the path is `table.field`. */
    | "frozen_field"
    | "frozen_type"
    /** Points of a history have one key, and differ; the path is `$` with the key of their series. */
    | "repeated_key"
  readonly detail: string
}
