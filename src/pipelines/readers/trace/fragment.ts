// Finds the part of a response that holds a row: the record whose values are the row's. The mapping from records to rows
// goes one way, so this compares values instead of names.
import { asAmount, asDigits, asNumber, isJsonObject } from "../../../domain/values/json.ts"
import type { Column, ColumnType } from "../../../domain/table/column.ts"
import type { Table } from "../../../domain/table/table.ts"
import { parseDay, parseInstant } from "../../../domain/values/time.ts"

export interface Fragment {
  /** For example `$.data[3]`; several paths if a record is spread over parallel arrays. */
  readonly path: string
  readonly value: unknown
  /** Columns of the row whose values it has. */
  readonly matched: ReadonlyArray<string>
}

interface Candidate {
  readonly path: string
  readonly value: unknown
  /** Its own names and values. */
  readonly leaves: ReadonlyArray<readonly [name: string, value: unknown]>
  /** Names and values of the objects around it, such as the vault's address above a series. */
  readonly around: ReadonlyArray<readonly [name: string, value: unknown]>
}

const isScalar = (value: unknown): boolean => !isJsonObject(value) && !Array.isArray(value)

const step = (name: string): string =>
  /^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`

/** Arrays of the same length whose items belong together, such as a chart's labels and values. */
const parallelArrays = (value: Readonly<Record<string, unknown>>) => {
  const arrays = Object.entries(value).filter(
    (entry): entry is [string, ReadonlyArray<unknown>] =>
      Array.isArray(entry[1]) && entry[1].length > 0 && entry[1].every(isScalar),
  )
  const length = arrays[0]?.[1].length ?? 0
  return arrays.length > 1 && arrays.every(([, array]) => array.length === length)
    ? { arrays, length }
    : undefined
}

function* candidatesIn(
  value: unknown,
  path: string,
  around: Candidate["around"],
): Generator<Candidate> {
  if (Array.isArray(value)) {
    for (const [index, each] of value.entries()) {
      yield* candidatesIn(each, `${path}[${index}]`, around)
    }
    return
  }
  if (!isJsonObject(value)) return
  const leaves = Object.entries(value).filter(([, each]) => isScalar(each))
  if (leaves.length > 0) yield { path, value, leaves, around }
  const parallel = parallelArrays(value)
  for (let index = 0; index < (parallel?.length ?? 0); index += 1) {
    const record = (parallel?.arrays ?? []).map(([name, array]) => [name, array[index]] as const)
    yield {
      path: record.map(([name]) => `${path}${step(name)}[${index}]`).join(", "),
      value: Object.fromEntries(record),
      leaves: record,
      around: [...around, ...leaves],
    }
  }
  for (const [name, each] of Object.entries(value)) {
    if (isScalar(each)) continue
    yield* candidatesIn(each, `${path}${step(name)}`, [...around, ...leaves, [name, name]])
  }
}

const isSame: Record<ColumnType, (sent: unknown, stored: unknown) => boolean> = {
  text: (sent, stored) =>
    typeof sent === "string" &&
    typeof stored === "string" &&
    sent.toLowerCase() === stored.toLowerCase(),
  integer: (sent, stored) => asDigits(sent) === String(stored),
  double: (sent, stored) => asNumber(sent) === stored,
  boolean: (sent, stored) => sent === stored,
  timestamp: (sent, stored) => {
    const micros = parseInstant(sent)
    return micros !== undefined && micros === parseInstant(stored)
  },
  date: (sent, stored) => {
    const day = parseDay(sent)
    return day !== undefined && day === parseDay(stored)
  },
  json: () => false,
  amount: (sent, stored) => asAmount(sent) === stored,
}

// A boolean or a zero occurs in any record, so it does not identify one.
const isDistinctive = (value: unknown): boolean =>
  value !== null && value !== undefined && value !== 0 && typeof value !== "boolean"

const isOwnName = (leaf: string, { name, fields }: Column): boolean =>
  leaf === name || (fields?.includes(leaf) ?? false)

/** The record that has most of the row's values, its own counting more than those around it. */
export const findFragment = (
  body: unknown,
  table: Table,
  row: Readonly<Record<string, unknown>>,
): Fragment | undefined => {
  const columns = table.columns.filter(({ name }) => isDistinctive(row[name]))
  let best: { readonly fragment: Fragment; readonly score: number } | undefined
  for (const { path, value, leaves, around } of candidatesIn(body, "$", [])) {
    const matched: Array<string> = []
    let score = 0
    for (const column of columns) {
      const { name, type } = column
      const own = leaves.filter(
        ([leaf, sent]) => isSame[type](sent, row[name]) || isSame[type](leaf, row[name]),
      )
      if (own.length > 0) {
        matched.push(name)
        score += own.some(([leaf]) => isOwnName(leaf, column)) ? 12 : 10
      } else if (around.some(([, sent]) => isSame[type](sent, row[name]))) {
        matched.push(name)
        score += 1
      }
    }
    if (score >= 10 && score > (best?.score ?? 0)) {
      best = { fragment: { path, value, matched }, score }
    }
  }
  return best?.fragment
}
