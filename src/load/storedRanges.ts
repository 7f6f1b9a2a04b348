// What a session knows to be stored, so that rows beyond it need not be looked for: the bulk of a first sync
// is series, times and sets that are not stored yet, and finding that out by a join cost a third of the run.
import { type Table, tableName, versionsOf } from "../domain/table.ts"
import type { Database } from "./storage/Storage.ts"
import { type Extent, overlap, placesApart } from "./seriesExtent.ts"

// With more series than this, what is known of a table would take tens of megabytes.
const MOST_SERIES = 100_000

type Stored = Map<string, Extent>

export class StoredRanges {
  /** By table and series, for tables that were empty when the session first wrote rows. */
  readonly #stored = new Map<string, Stored>()
  #isLooked = false

  /** To be called before rows are first written. */
  async look(emptyTables: Database["emptyTables"]): Promise<void> {
    if (this.#isLooked) return
    this.#isLooked = true
    for (const name of await emptyTables()) this.#stored.set(name, new Map())
  }

  /** To be called when another process has written: what is stored is unknown from now on. */
  forget(): void {
    this.#stored.clear()
  }

  /**
   * The places of the pages with times or sets that can't be stored yet, and that none of the other pages has.
   */
  fresh(table: Table, pages: ReadonlyArray<Extent | undefined>): ReadonlySet<number> {
    const stored = this.#of(table)
    if (stored === undefined) return new Set()
    const [known] = stored.values()
    const isStored = (page: Extent): boolean => {
      const range = stored.get(page.series)
      const areComparable = known === undefined || known.columns === page.columns
      return !areComparable || (range !== undefined && overlap(range, page))
    }
    const apart = [...placesApart(pages)]
    const isFresh = (place: number): boolean => {
      const page = pages[place]
      return page !== undefined && !isStored(page)
    }
    return new Set(apart.filter(isFresh))
  }

  /** To be called once they are committed. */
  remember(table: Table, extents: ReadonlyArray<Extent | undefined>): void {
    const stored = this.#of(table)
    if (stored === undefined) return
    const [known = extents[0]] = stored.values()
    for (const extent of extents) {
      if (extent === undefined || extent.columns !== known?.columns || stored.size > MOST_SERIES) {
        this.#stored.delete(tableName(table))
        return
      }
      const range = stored.get(extent.series) ?? extent
      const from = Math.min(range.from, extent.from)
      stored.set(extent.series, { ...extent, from, to: Math.max(range.to, extent.to) })
    }
  }

  /** `undefined` where anything may be stored. Rows that were retired are in the versions alone. */
  #of(table: Table): Stored | undefined {
    const isKnown = table.mode !== "history" || this.#stored.has(tableName(versionsOf(table)))
    return isKnown ? this.#stored.get(tableName(table)) : undefined
  }
}
