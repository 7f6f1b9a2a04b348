// What a session knows to be stored, so that it need not compare rows outside of that: most of a first sync is series,
// times and sets that are not stored yet, and finding that out by a join took a third of the run.
import { type Rows, type Table, tableName, versionsOf } from "../../../domain/table/table.ts"
import { type Extent, extentOf, overlap, placesFirst } from "../merge/seriesExtent.ts"

// With more series than this, the ranges of a table would take tens of megabytes.
const MAX_SERIES = 100_000

type Stored = Map<string, Extent>

export class StoredRanges {
  /** By table and series, for tables that were empty when the session first wrote rows. */
  readonly #stored = new Map<string, Stored>()

  /** Call it before rows are first written. */
  addEmptyTables(emptyTables: Iterable<string>): void {
    for (const name of emptyTables) this.#stored.set(name, new Map())
  }

  /** Call it when another process has written it is unknown what. */
  forget(): void {
    this.#stored.clear()
  }

  /**
   * The indexes of the pages whose times or sets can't be stored yet and are in no page that must be stored before them.
   */
  newPages(
    table: Table,
    pages: ReadonlyArray<Extent | undefined>,
    batches: ReadonlyArray<number>,
  ): ReadonlySet<number> {
    const stored = this.#of(table)
    if (stored === undefined) return new Set()
    const [known] = stored.values()
    const isStored = (page: Extent): boolean => {
      const range = stored.get(page.series)
      const areComparable = known === undefined || known.columns === page.columns
      return !areComparable || (range !== undefined && overlap(range, page))
    }
    const first = [...placesFirst(pages, batches)]
    const isNewPage = (place: number): boolean => {
      const page = pages[place]
      return page !== undefined && !isStored(page)
    }
    return new Set(first.filter(isNewPage))
  }

  /** Whether the set, or a part of it, may be stored. */
  mayHold(set: Rows): boolean {
    return this.newPages(set.table, [extentOf(set)], [0]).size === 0
  }

  /** Call it after their commit. `table` is `schema.name`. */
  remember(table: string, extents: ReadonlyArray<Extent | undefined>): void {
    const stored = this.#stored.get(table)
    if (stored === undefined) return
    const [known = extents[0]] = stored.values()
    for (const extent of extents) {
      if (extent === undefined || extent.columns !== known?.columns || stored.size > MAX_SERIES) {
        this.#stored.delete(table)
        return
      }
      const range = stored.get(extent.series) ?? extent
      const from = Math.min(range.from, extent.from)
      stored.set(extent.series, { ...extent, from, to: Math.max(range.to, extent.to) })
    }
  }

  /** `undefined` if anything may be stored. Retired rows are only in the versions, which must be known too. */
  #of(table: Table): Stored | undefined {
    const isKnown = table.mode !== "history" || this.#stored.has(tableName(versionsOf(table)))
    return isKnown ? this.#stored.get(tableName(table)) : undefined
  }
}
