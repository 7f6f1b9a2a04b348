// Rejects the elements of a list that are not records, so that the records can land.
import { isJsonObject } from "../domain/values/json.ts"
import type { RejectedRecord } from "../domain/wire/violation.ts"

// Lists of records are at most this deep in a response: `portfolio.tokens`, `data.points`.
const DEPTH = 2

export interface Separated<A> {
  /** The same value if every list contains only records or none. */
  readonly value: A
  readonly rejected: ReadonlyArray<RejectedRecord>
}

/**
 * The response without the elements of its lists that are not records. Lists without any record and the lists at the
 * paths `except` (`$.tags`) are left as they are.
 */
export const separateRecords = <A>(
  value: A,
  except: ReadonlySet<string> = new Set(),
): Separated<A> => {
  const rejected: Array<RejectedRecord> = []
  return { value: separated(value, "$", DEPTH, rejected, except) as A, rejected }
}

const separated = (
  value: unknown,
  path: string,
  depth: number,
  rejected: Array<RejectedRecord>,
  except: ReadonlySet<string>,
): unknown => {
  if (except.has(path)) return value
  if (Array.isArray(value)) return records(value, path, rejected)
  if (depth === 0 || !isJsonObject(value)) return value
  let copy: Record<string, unknown> | undefined
  for (const [name, member] of Object.entries(value)) {
    const kept = separated(member, `${path}.${name}`, depth - 1, rejected, except)
    if (kept !== member) (copy ??= { ...value })[name] = kept
  }
  return copy ?? value
}

const records = (
  list: ReadonlyArray<unknown>,
  path: string,
  rejected: Array<RejectedRecord>,
): ReadonlyArray<unknown> => {
  if (list.every(isJsonObject) || !list.some(isJsonObject)) return list
  for (const [index, record] of list.entries()) {
    if (isJsonObject(record)) continue
    const detail = `is ${JSON.stringify(record)?.slice(0, 100)}; expected a record`
    rejected.push({ path: `${path}[${index}]`, detail, record })
  }
  return list.filter(isJsonObject)
}
