// The series a page is of and the event times it spans.
import type { Value } from "../domain/column.ts"
import type { Rows, Table } from "../domain/table.ts"

/** In the unit of the time column. */
export interface Extent {
  readonly series: string
  readonly from: number
  readonly to: number
}

/** Key columns that identify a series. Other text (a protocol) may vary within it. */
const seriesColumns = (table: Table): ReadonlyArray<number> =>
  table.key
    .filter((name) => name !== table.time)
    .map((name) => table.columns.findIndex((column) => column.name === name))
    .filter((at, place) => place === 0 || table.columns[at]?.type !== "text")

/** `undefined` when the page is not of one series, or its key does not hold its time. */
export const extentOf = ({ table, columns, length, emptySets = [] }: Rows): Extent | undefined => {
  if (table.time === undefined || !table.key.includes(table.time)) return undefined
  const series: Array<Value> = []
  for (const at of seriesColumns(table)) {
    const values = columns[at] ?? []
    const name = table.columns[at]?.name ?? ""
    const first = (length > 0 ? values[0] : emptySets[0]?.[name]) ?? null
    for (let row = 1; row < length; row++) if (values[row] !== first) return undefined
    if (emptySets.some((set) => set[name] !== first)) return undefined
    series.push(first)
  }
  const { time } = table
  const times = columns[table.columns.findIndex(({ name }) => name === time)] ?? []
  let from = Number.POSITIVE_INFINITY
  let to = Number.NEGATIVE_INFINITY
  const all = emptySets.length === 0 ? times : [...times, ...emptySets.map((set) => set[time])]
  for (const each of all) {
    if (typeof each !== "number") return undefined
    if (each < from) from = each
    if (each > to) to = each
  }
  return { series: JSON.stringify(series), from, to }
}

export const overlap = (one: Pick<Extent, "from" | "to">, other: typeof one): boolean =>
  one.from <= other.to && other.from <= one.to

/** Whether no two of the extents can hold the same key. */
export const areApart = (extents: ReadonlyArray<Extent | undefined>): boolean => {
  const bySeries = new Map<string, Array<Extent>>()
  for (const extent of extents) {
    if (extent === undefined) return false
    const others = bySeries.get(extent.series)
    if (others === undefined) bySeries.set(extent.series, [extent])
    else others.push(extent)
  }
  return [...bySeries.values()].every((ofSeries) => {
    ofSeries.sort((left, right) => left.from - right.from)
    return ofSeries.every((extent, at) => {
      const before = ofSeries[at - 1]
      return before === undefined || before.to < extent.from
    })
  })
}
