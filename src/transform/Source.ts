// What a mapping takes besides the response, and what it returns. The archive keeps all of it, so that a replay makes
// the same rows again.
import * as Result from "effect/Result"
import type { Lineage } from "../domain/response.ts"
import type { Rows } from "../domain/table.ts"
import type { Drift, RejectedRecord, Violation } from "../domain/violation.ts"

/** Wire names from the configuration. */
export interface FieldNames {
  /** Names that the time of a point may have, in order. */
  readonly timeFields: ReadonlyArray<string>
  /** Names of single columns, by `table.column`. */
  readonly fields?: Readonly<Record<string, string>>
}

/** `S` is the subject of the request: a vault, a subaccount, a loan, … */
export interface Source<S> extends FieldNames {
  readonly lineage: Lineage
  readonly subject: S
  /** Inputs of the endpoint, by client-side name. */
  readonly inputs: Readonly<Record<string, unknown>>
  /** Set in a replay: the window of the task, which shows whether the response belongs to a whole reading. */
  readonly window?: string
}

/** Rows of one table. */
export interface Mapped {
  readonly rows: Rows
  readonly drift: ReadonlyArray<Drift>
  /** Records that did not become rows; the sets they may belong to are then not whole. */
  readonly rejected: ReadonlyArray<RejectedRecord>
}

/** Rows of all tables that a response fills. */
export interface MappedResponse {
  readonly rows: ReadonlyArray<Rows>
  readonly drift: ReadonlyArray<Drift>
  readonly rejected: ReadonlyArray<RejectedRecord>
}

/**
 * Rows of several lists as one set, which is whole only where each list is: a row that one list may lack must not be
 * retired because another list is complete.
 */
export const asOneSet = (rows: ReadonlyArray<Rows>): ReadonlyArray<Rows> => {
  const partial = new Set(
    rows.filter(({ mergeKey }) => mergeKey === undefined).map(({ table }) => table),
  )
  return rows.map((each) => {
    if (each.mergeKey === undefined || !partial.has(each.table)) return each
    const { mergeKey: _mergeKey, ...part } = each
    return part
  })
}

/** The rows of a response, its own records first. Fails where some were rejected and no other is left. */
export const combined = (
  main: Mapped,
  ...others: ReadonlyArray<Mapped>
): Result.Result<MappedResponse, Violation> => {
  const parts = [main, ...others]
  const [first] = main.rejected
  const isLeft = ({ rows }: Mapped): boolean => rows.length > 0 && rows.secondary === undefined
  if (first !== undefined && !parts.some(isLeft)) {
    return Result.fail({ path: first.path, detail: first.detail })
  }
  return Result.succeed({
    rows: asOneSet(parts.map(({ rows }) => rows)),
    drift: parts.flatMap(({ drift }) => drift),
    rejected: parts.flatMap(({ rejected }) => rejected),
  })
}
