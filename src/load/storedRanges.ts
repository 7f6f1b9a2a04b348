// What a session knows to be stored, so that rows beyond it need not be looked for: the bulk of a first sync
// is of series and times of which nothing is stored, and finding that out by a join cost a third of the run.
import type { DuckDBConnection } from "@duckdb/node-api"
import { type Table, tableName, versionsOf } from "../domain/table.ts"
import { type Extent, overlap } from "./seriesExtent.ts"
import { qualified } from "./sql.ts"

type Range = Pick<Extent, "from" | "to">

export class StoredRanges {
  /** By table, by series. A table of which anything was stored when the session first wrote to it is `undefined`. */
  readonly #stored = new Map<string, Map<string, Range> | undefined>()
  readonly #columns = new Map<string, ReadonlyArray<string>>()

  /** Before a table is written to; answers its columns in their stored order, which a migration may have extended. */
  async look(connection: DuckDBConnection, table: Table): Promise<ReadonlyArray<string>> {
    const name = tableName(table)
    const known = this.#columns.get(name)
    if (known !== undefined) return known
    const found = await connection.runAndReadAll(`FROM ${qualified(table)} LIMIT 1`)
    const isEmpty = found.currentRowCount === 0 && (await hasNoVersions(connection, table))
    this.#stored.set(name, isEmpty ? new Map() : undefined)
    const columns = found.columnNames()
    this.#columns.set(name, columns)
    return columns
  }

  /** For when another process has written: these may no longer be all stored rows. */
  forget(): void {
    this.#stored.clear()
    this.#columns.clear()
  }

  /**
   * Which of the pages are of times of which nothing can be stored yet, nor in another of the pages; by their
   * place.
   */
  fresh(table: Table, pages: ReadonlyArray<Extent | undefined>): ReadonlySet<number> {
    const stored = this.#stored.get(tableName(table))
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
    const stored = this.#stored.get(tableName(table))
    if (stored === undefined) return
    for (const extent of extents) {
      if (extent === undefined) {
        this.#stored.set(tableName(table), undefined)
        return
      }
      const range = stored.get(extent.series) ?? extent
      const { from, to } = extent
      stored.set(extent.series, { from: Math.min(range.from, from), to: Math.max(range.to, to) })
    }
  }
}

/** Rows that were retired are in the versions alone. */
const hasNoVersions = async (connection: DuckDBConnection, table: Table): Promise<boolean> => {
  if (table.mode !== "history") return false
  const found = await connection.runAndReadAll(`FROM ${qualified(versionsOf(table))} LIMIT 1`)
  return found.currentRowCount === 0
}
