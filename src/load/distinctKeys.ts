// Whether staged rows surely have distinct keys, seen cheaply: then the merge need not look for the last
// row of each key. A page of a series (one vault, times in order) is such a case, and the bulk of the data.
import type { Value } from "../domain/table.ts"

/** A key column's values in each page; `constant` when they do not vary within any page. */
export interface KeyColumn {
  readonly constant: boolean
  readonly pages: ReadonlyArray<ReadonlyArray<Value>>
}

interface Range {
  readonly from: number
  readonly to: number
}

/** Smallest and largest of strictly rising or strictly falling numbers, `undefined` for any others. */
const strictRange = (values: ReadonlyArray<Value>): Range | undefined => {
  const first = values[0]
  const last = values.at(-1)
  if (typeof first !== "number" || typeof last !== "number") return undefined
  const sign = last >= first ? 1 : -1
  let previous = first
  for (let row = 1; row < values.length; row++) {
    const value = values[row]
    if (typeof value !== "number" || (value - previous) * sign <= 0) return undefined
    previous = value
  }
  return sign === 1 ? { from: first, to: last } : { from: last, to: first }
}

const areDisjoint = (ranges: Array<Range>): boolean => {
  ranges.sort((left, right) => left.from - right.from)
  return ranges.every((range, at) => at === 0 || (ranges[at - 1]?.to ?? 0) < range.from)
}

/** `false` means not proven, not that there are repetitions. */
export const haveDistinctKeys = (
  columns: ReadonlyArray<KeyColumn>,
  lengths: ReadonlyArray<number>,
): boolean => {
  const [varying, ...others] = columns.filter(({ constant }) => !constant)
  if (others.length > 0) return false
  const series = new Map<string, Array<Range>>()
  for (const [page, length] of lengths.entries()) {
    const values = varying?.pages[page] ?? []
    if (varying === undefined && length > 1) return false
    const range = varying === undefined ? { from: 0, to: 0 } : strictRange(values)
    if (range === undefined) return false
    const key = JSON.stringify(
      columns.filter(({ constant }) => constant).map(({ pages }) => pages[page]?.[0]),
    )
    const ranges = series.get(key)
    if (ranges === undefined) series.set(key, [range])
    else ranges.push(range)
  }
  return [...series.values()].every(areDisjoint)
}
