// A cheap proof that rows have distinct keys: a merge then need not find the last row of each key, and rows whose keys
// can't be stored yet need no merge at all. It succeeds for pages of a series, whose times are in order.
import type { Value } from "../../../domain/table/column.ts"
import type { Rows } from "../../../domain/table/table.ts"
import { extentOf, isConstant, placesApart } from "./seriesExtent.ts"

// Checking pages larger than any set would take more memory than it saves.
const MAX_MEMBERS = 10_000

/** The key columns whose values vary within the page, except its time. */
const varyingKeys = ({ table, columns }: Rows, time: number): ReadonlyArray<ReadonlyArray<Value>> =>
  table.key.flatMap((name) => {
    const at = table.columns.findIndex((column) => column.name === name)
    const values = columns[at] ?? []
    return at === time || isConstant(values) ? [] : [values]
  })

/**
 * In a set, no two members have the same key; in a series, times rise or fall throughout, and rows of one time differ.
 */
const hasDistinctKeys = (rows: Rows): boolean => {
  if (rows.length < 2) return true
  const isTimed = rows.table.key.includes(rows.table.time ?? "")
  const time = isTimed ? rows.table.columns.findIndex(({ name }) => name === rows.table.time) : -1
  const others = varyingKeys(rows, time)
  const keyOf = (row: number): Value | undefined =>
    others.length === 1 ? others[0]?.[row] : JSON.stringify(others.map((values) => values[row]))
  const times = rows.columns[time]
  if (times === undefined) {
    const { length } = rows
    return (
      length <= MAX_MEMBERS &&
      new Set(Array.from({ length }, (_, row) => keyOf(row))).size === length
    )
  }
  const sign = Number(times.at(-1)) >= Number(times[0]) ? 1 : -1
  let ofTime = new Set<Value | undefined>()
  for (let row = 0; row < rows.length; row++) {
    const step = row === 0 ? 0 : (Number(times[row]) - Number(times[row - 1])) * sign
    // Negated, so that NaN fails too.
    if (!(step >= 0)) return false
    if (others.length === 0) {
      if (row > 0 && step === 0) return false
      continue
    }
    if (step > 0) ofTime = new Set()
    const key = keyOf(row)
    if (ofTime.has(key)) return false
    ofTime.add(key)
  }
  return true
}

/** `false` means not proven, not that there are repetitions. */
export const haveDistinctKeys = (pages: ReadonlyArray<Rows>): boolean =>
  pages.every(hasDistinctKeys) &&
  (pages.length < 2 || placesApart(pages.map(extentOf)).size === pages.length)
