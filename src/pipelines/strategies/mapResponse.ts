// Maps a decoded response to rows, in a run as in a replay. A mapping that throws is a contract violation like any
// other; if a record was rejected, the sets it may belong to count as incomplete.
import * as Result from "effect/Result"
import type { Rows } from "../../domain/table/table.ts"
import { mayLackMembers, type RejectedRecord, type Violation } from "../../domain/wire/violation.ts"
import { namesOf } from "../../transform/fields/wireNames.ts"
import { separateRecords } from "../../transform/separateRecords.ts"
import type { MappedResponse, Source } from "../../transform/Source.ts"

export const mapResponse = <A, S>(
  rows: (response: A, source: Source<S>) => Result.Result<MappedResponse, Violation>,
  response: A,
  source: Source<S>,
): Result.Result<MappedResponse, Violation> => {
  try {
    const { value, rejected } = separateRecords(response)
    const mapped = rows(value, without(rejected, source))
    if (rejected.length === 0 || Result.isFailure(mapped)) return withRejected(mapped, rejected)
    const again = separateRecords(response, wholeLists(mapped.success, rejected, source))
    const isSame = again.rejected.length === rejected.length
    return withRejected(
      isSame ? mapped : rows(again.value, without(again.rejected, source)),
      again.rejected,
    )
  } catch (cause) {
    return Result.fail({ path: "$", detail: `can't be mapped: ${String(cause)}` })
  }
}

const without = <S>(leftOut: ReadonlyArray<RejectedRecord>, source: Source<S>): Source<S> =>
  leftOut.length === 0 ? source : { ...source, leftOut }

/** The paths of lists that are kept as received, whatever they hold: no table reads records in them. */
const wholeLists = (
  { rows, drift }: MappedResponse,
  rejected: ReadonlyArray<RejectedRecord>,
  source: Source<unknown>,
): ReadonlySet<string> => {
  const unread = drift.flatMap(({ kind, path }) => (kind === "unknown_field" ? [path] : []))
  const asSent = new Set([
    // §2.9 does not say of what they are.
    "warnings",
    ...rows.flatMap(({ table }) =>
      table.columns
        .filter(({ type }) => type === "json")
        .flatMap(({ name }) => namesOf(table, name, source)),
    ),
  ])
  const lists = rejected.map(({ path }) => path.slice(0, path.lastIndexOf("[")))
  return new Set([
    ...unread,
    // A list may be deeper in the column.
    ...lists.filter((path) => {
      const fields = path.split(".").slice(1)
      return [fields[0], fields.at(-1)].some((name) => name !== undefined && asSent.has(name))
    }),
  ])
}

const withRejected = (
  result: Result.Result<MappedResponse, Violation>,
  rejected: ReadonlyArray<RejectedRecord>,
) =>
  Result.map(result, (mapped) => {
    const all = [...rejected, ...mapped.rejected]
    return mayLackMembers(all)
      ? { ...mapped, rows: mapped.rows.map(asPartial), rejected: all }
      : mapped
  })

/** Marks rows as part of a set, so that stored members they lack are not retired. */
export const asPartial = ({ mergeKey: _mergeKey, ...rows }: Rows): Rows =>
  rows.table.mergeKey === undefined ? rows : { ...rows, isPartial: true }
