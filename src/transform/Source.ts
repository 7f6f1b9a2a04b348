// The input of a mapping besides the response, and its result. The archive keeps the input, so that a replay produces
// the same rows.
import * as Result from "effect/Result"
import type { Lineage } from "../domain/wire/response.ts"
import type { Value } from "../domain/table/column.ts"
import type { Contract, FieldSetting } from "../domain/table/shape.ts"
import type { Rows } from "../domain/table/table.ts"
import type { Drift, RejectedRecord, Violation } from "../domain/wire/violation.ts"
import { joined } from "./proposals.ts"

/** Wire names from the configuration. */
export interface FieldNames {
  /** The possible names of a point's time field, in order of preference. */
  readonly timeFields: ReadonlyArray<string>
  /** The fields of single columns by `table.column`, and of a table's records by `table`. */
  readonly fields?: Readonly<Record<string, FieldSetting>>
  /** The contracts of tables; `evolve` for the others. */
  readonly contracts?: Readonly<Record<string, Contract>>
}

/** `S` is the subject of the request: a vault, a subaccount, a loan, … */
export interface Source<S> extends FieldNames {
  readonly lineage: Lineage
  readonly subject: S
  /** Inputs of the endpoint, by client-side name. */
  readonly inputs: Readonly<Record<string, unknown>>
  /** The window of the task: in a replay it shows whether the response belongs to a complete reading. */
  readonly window?: string
  /** Elements of the response's lists that are no records and were left out of it (`separateRecords`). */
  readonly leftOut?: ReadonlyArray<RejectedRecord>
}

/** The rows of one table. */
export interface Mapped {
  readonly rows: Rows
  readonly drift: ReadonlyArray<Drift>
  /** Records that did not become rows; the sets that they may belong to are then incomplete. */
  readonly rejected: ReadonlyArray<RejectedRecord>
}

/** Those of the rows that are kept, as rows of the same set. */
export const filterRows = (rows: Rows, isKept: (row: number) => boolean): Rows => {
  const kept = <A>(values: ReadonlyArray<A>) => values.filter((_, row) => isKept(row))
  const columns = rows.columns.map(kept)
  const times = rows.times === undefined ? {} : { times: kept(rows.times) }
  return { ...rows, columns, length: columns[0]?.length ?? 0, ...times }
}

/** The values of a column. */
export const valuesOf = ({ table, columns }: Rows, column: string): ReadonlyArray<Value> =>
  columns[table.columns.findIndex(({ name }) => name === column)] ?? []

/** The rows of all tables that a response fills. */
export interface MappedResponse {
  readonly rows: ReadonlyArray<Rows>
  readonly drift: ReadonlyArray<Drift>
  readonly rejected: ReadonlyArray<RejectedRecord>
}

/**
 * Combines the rows of several lists to one set for each table. The set is complete only if every list is: a row that
 * may be missing from one list must not be retired because another list is complete.
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

/**
 * Combines the rows of a response, those of its main table first. Fails if records were rejected and no row is left.
 */
export const combined = (
  main: Mapped,
  ...others: ReadonlyArray<Mapped>
): Result.Result<MappedResponse, Violation> => {
  const parts = [main, ...others]
  const [first] = main.rejected
  const hasRows = ({ rows }: Mapped): boolean => rows.length > 0 && rows.secondary === undefined
  if (first !== undefined && !parts.some(hasRows)) {
    const proposal = joined(main.rejected.map((each) => each.proposal)).join("\n")
    const { path, detail } = first
    return Result.fail({ path, detail, ...(proposal === "" ? {} : { proposal }) })
  }
  return Result.succeed({
    rows: asOneSet(parts.map(({ rows }) => rows)),
    drift: parts.flatMap(({ drift }) => drift),
    rejected: parts.flatMap(({ rejected }) => rejected),
  })
}
