// Sorts the rows of a table by a column that its address names: `?sort=drawdown`, or `?sort=-drawdown` with the largest
// first. The headers are links, so that it works without scripts.
import * as Effect from "effect/Effect"
import { ReadError } from "../../pipelines/readers/published.ts"
import type { Row } from "./columns.ts"
import type { Column } from "./table.ts"

export interface Sorting {
  /** The column of the rows; absent if they stay as they are. */
  readonly by: string | undefined
  readonly isDescending: boolean
}

/** Fails if the column is not one of those that can be sorted. */
export const sortingOf = (
  text: string | undefined,
  columns: ReadonlyArray<string>,
): Effect.Effect<Sorting, ReadError> => {
  if (text === undefined || text === "") {
    return Effect.succeed({ by: undefined, isDescending: false })
  }
  const isDescending = text.startsWith("-")
  const by = isDescending ? text.slice(1) : text
  return columns.includes(by)
    ? Effect.succeed({ by, isDescending })
    : Effect.fail(
        new ReadError({
          why: `sort=${text} is not one of ${columns.join(", ")}.`,
          advice: "Choose a column by its header; a minus before its name sorts the largest first.",
        }),
      )
}

/** The sorting of a column for its header: the other direction if it is sorted already, at first the largest first. */
export const sortLink = (
  { by, isDescending }: Sorting,
  column: string,
  href: (sort: string) => string,
): NonNullable<Column<unknown>["sort"]> => ({
  href: href(by === column && isDescending ? column : `-${column}`),
  now: by === column ? (isDescending ? "descending" : "ascending") : undefined,
})

/** Rows without a value come last, whatever the direction. */
export const sorted = <R extends Row>(
  rows: ReadonlyArray<R>,
  { by, isDescending }: Sorting,
): ReadonlyArray<R> => {
  if (by === undefined) return rows
  const isMissing = (row: R): boolean => row[by] === null || row[by] === undefined
  return rows.toSorted((one, other) => {
    if (isMissing(one) || isMissing(other)) return Number(isMissing(one)) - Number(isMissing(other))
    const [a, b] = [one[by], other[by]]
    const order =
      typeof a === "number" && typeof b === "number"
        ? a - b
        : String(a).localeCompare(String(b), "en", { numeric: true })
    return isDescending ? -order : order
  })
}
