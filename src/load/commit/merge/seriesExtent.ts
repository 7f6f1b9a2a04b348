// The extent of a page: a series between two event times or, in a table without time in its key, a set.
import type { Value } from "../../../domain/table/column.ts"
import type { Rows, Table } from "../../../domain/table/table.ts"

/** `from` and `to` are in the unit of the time column; 0 for a set. */
export interface Extent {
  /** Key columns that identify the series or set: only extents with the same columns can be compared. */
  readonly columns: string
  /** Their values. */
  readonly series: string
  readonly from: number
  readonly to: number
}

/** Indexes of the key columns that identify a series; other text columns (a protocol) may vary within it. */
const seriesColumns = (table: Table): ReadonlyArray<number> =>
  table.key
    .filter((name) => name !== table.time)
    .map((name) => table.columns.findIndex((column) => column.name === name))
    .filter((at, place) => place === 0 || table.columns[at]?.type !== "text")

/** `undefined` if the page is not of one series or set. */
export const extentOf = (rows: Rows): Extent | undefined => {
  const { time, key } = rows.table
  return time !== undefined && key.includes(time) ? seriesOf(rows, time) : setOf(rows)
}

/** The set that the page holds whole, else the key columns that its rows have in common. */
const setOf = ({ table, columns, length, mergeKey }: Rows): Extent | undefined => {
  const valuesOf = (name: string): ReadonlyArray<Value> =>
    columns[table.columns.findIndex((column) => column.name === name)] ?? []
  const names = table.key.filter((name) =>
    mergeKey === undefined ? length > 0 && isConstant(valuesOf(name)) : name in mergeKey,
  )
  const set = names.map((name) => mergeKey?.[name] ?? valuesOf(name)[0] ?? null)
  if (mergeKey !== undefined) {
    const isWithin = names.every((name, at) => valuesOf(name).every((value) => value === set[at]))
    if (!isWithin || names.length < Object.keys(mergeKey).length) return undefined
  }
  return { columns: names.join(), series: JSON.stringify(set), from: 0, to: 0 }
}

export const isConstant = (values: ReadonlyArray<Value>): boolean => {
  for (let row = 1; row < values.length; row++) if (values[row] !== values[0]) return false
  return true
}

const seriesOf = (
  { table, columns, length, emptySets = [] }: Rows,
  time: string,
): Extent | undefined => {
  const series: Array<Value> = []
  for (const at of seriesColumns(table)) {
    const values = columns[at] ?? []
    const name = table.columns[at]?.name ?? ""
    const first = (length > 0 ? values[0] : emptySets[0]?.[name]) ?? null
    for (let row = 1; row < length; row++) if (values[row] !== first) return undefined
    if (emptySets.some((set) => set[name] !== first)) return undefined
    series.push(first)
  }
  const times = columns[table.columns.findIndex(({ name }) => name === time)] ?? []
  let from = Number.POSITIVE_INFINITY
  let to = Number.NEGATIVE_INFINITY
  const all = emptySets.length === 0 ? times : [...times, ...emptySets.map((set) => set[time])]
  for (const each of all) {
    if (typeof each !== "number") return undefined
    if (each < from) from = each
    if (each > to) to = each
  }
  return { columns: "", series: JSON.stringify(series), from, to }
}

export const overlap = (one: Pick<Extent, "from" | "to">, other: typeof one): boolean =>
  one.from <= other.to && other.from <= one.to

interface Placed {
  readonly extent: Extent
  readonly place: number
}

/** The extents of each series with their indexes; none where some can't be compared. */
const bySeries = (extents: ReadonlyArray<Extent | undefined>): Iterable<Array<Placed>> => {
  const known = extents.flatMap((extent, place) =>
    extent === undefined ? [] : [{ extent, place }],
  )
  const columns = new Set(known.map(({ extent }) => extent.columns))
  if (known.length < extents.length || columns.size > 1) return []
  return Map.groupBy(known, ({ extent }) => extent.series).values()
}

/**
 * The indexes of the extents that can't have a key in common with one of an earlier batch, or with another of their own:
 * they can be stored before all others. `batches` are in order, one for each extent.
 */
export const placesFirst = (
  extents: ReadonlyArray<Extent | undefined>,
  batches: ReadonlyArray<number>,
): ReadonlySet<number> => {
  const first = new Set<number>()
  for (const ofSeries of bySeries(extents)) {
    for (const { extent, place } of ofSeries) {
      const mustPrecede = (other: Placed): boolean =>
        other.place !== place &&
        (other.place < place || batches[other.place] === batches[place]) &&
        overlap(other.extent, extent)
      if (!ofSeries.some(mustPrecede)) first.add(place)
    }
  }
  return first
}

/** The indexes of the extents that can't have a key in common with any other. */
export const placesApart = (extents: ReadonlyArray<Extent | undefined>): ReadonlySet<number> => {
  const apart = new Set<number>()
  for (const ofSeries of bySeries(extents)) {
    ofSeries.sort((left, right) => left.extent.from - right.extent.from)
    let last = Number.NEGATIVE_INFINITY
    for (const [at, { extent, place }] of ofSeries.entries()) {
      const next = ofSeries[at + 1]?.extent.from ?? Number.POSITIVE_INFINITY
      if (extent.from > last && extent.to < next) apart.add(place)
      last = Math.max(last, extent.to)
    }
  }
  return apart
}
