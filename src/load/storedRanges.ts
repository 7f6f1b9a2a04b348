// What a session knows to be stored, so that rows beyond it need not be looked for: the bulk of a first sync
// is of series and times nothing is stored of, and finding that out by a join cost a third of the run.
import { type Rows, type Table, tableName, type Value } from "../domain/table.ts"

/** One series within a page, and the event times it spans, in the unit of the time column. */
export interface Extent {
  readonly series: string
  readonly from: number
  readonly to: number
}

/** Key columns that tell series apart. Other text (a protocol) may vary within a series. */
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

export class StoredRanges {
  /** By table, by series; only tables that were empty when the session began, with no version, are known. */
  readonly #known = new Map<string, Map<string, Range>>()

  constructor(emptyTables: ReadonlyArray<Table>) {
    for (const table of emptyTables) this.#known.set(tableName(table), new Map())
  }

  /**
   * Which of the pages are of a table and of times nothing can be stored of yet, nor in another of the
   * pages; by their place.
   */
  fresh(table: Table, pages: ReadonlyArray<Extent | undefined>): ReadonlySet<number> {
    const stored = this.#known.get(tableName(table))
    if (stored === undefined) return new Set()
    const places = pages.flatMap((page, at) => {
      if (page === undefined) return []
      const range = stored.get(page.series)
      const meets = (other: Extent | undefined, place: number): boolean =>
        place !== at &&
        (other === undefined || (other.series === page.series && overlap(other, page)))
      return (range === undefined || !overlap(range, page)) && !pages.some(meets) ? [at] : []
    })
    return new Set(places)
  }

  /** Once they are committed. */
  remember(table: Table, extents: ReadonlyArray<Extent | undefined>): void {
    const stored = this.#known.get(tableName(table))
    if (stored === undefined) return
    for (const extent of extents) {
      if (extent === undefined) {
        this.#known.delete(tableName(table))
        return
      }
      const range = stored.get(extent.series) ?? extent
      const { from, to } = extent
      stored.set(extent.series, { from: Math.min(range.from, from), to: Math.max(range.to, to) })
    }
  }
}

interface Range {
  readonly from: number
  readonly to: number
}

const overlap = (one: Range, other: Range): boolean => one.from <= other.to && other.from <= one.to
