// Which pages may be stored before all others of their group, because no key of theirs is in a page that comes first.
import { describe, expect, it } from "vitest"
import {
  extentOf,
  placesApart,
  placesFirst,
} from "../../../../src/load/commit/merge/seriesExtent.ts"
import { reading, readings, rowsOf } from "../../sample.ts"
import { holding, holdings } from "../../sets.ts"

const page = (vault: string, from: number, to: number) =>
  extentOf(rowsOf(readings, [reading(vault, from, 0), reading(vault, to, 0)]))

describe("pages that may be stored first", () => {
  it("are those of which no earlier batch has a key", () => {
    const pages = [page("a", 0, 9), page("a", 5, 14), page("a", 20, 29), page("b", 0, 9)]
    expect(placesFirst(pages, [0, 1, 2, 3])).toEqual(new Set([0, 2, 3]))
    // In whichever order their times are.
    expect(placesFirst([page("a", 5, 14), page("a", 0, 9)], [0, 1])).toEqual(new Set([0]))
  })

  it("are none of two in one batch that share a key: the last row of a key counts", () => {
    const pages = [page("a", 0, 9), page("a", 9, 14), page("a", 20, 29)]
    expect(placesFirst(pages, [0, 0, 0])).toEqual(new Set([2]))
    expect(placesFirst(pages, [0, 1, 1])).toEqual(new Set([0, 2]))
  })

  it("are none where one is of several series, and may hold any key", () => {
    const several = extentOf(rowsOf(readings, [reading("a", 0, 0), reading("b", 0, 0)]))
    expect(several).toBeUndefined()
    expect(placesFirst([page("a", 0, 9), several], [0, 1])).toEqual(new Set())
  })
})

describe("pages apart from all others", () => {
  it("share no key, their first and last included", () => {
    expect(placesApart([page("a", 10, 19), page("a", 0, 9), page("b", 0, 9)])).toEqual(
      new Set([0, 1, 2]),
    )
    expect(placesApart([page("a", 0, 10), page("a", 10, 19)])).toEqual(new Set())
    // The long one holds the one after its neighbour, too.
    expect(placesApart([page("a", 0, 30), page("a", 5, 6), page("a", 20, 21)])).toEqual(new Set())
  })
})

describe("the extent of a page", () => {
  it("is from its first to its last time, its empty sets included", () => {
    const rows = rowsOf(holdings, [holding(5, "Aave", 1), holding(3, "Morpho", 1)])
    expect(extentOf(rows)).toMatchObject({ series: '["a"]', from: 3, to: 5 })
    const emptySets = [{ vault_address: "a", day: 9 }]
    expect(extentOf({ ...rows, emptySets })).toMatchObject({ from: 3, to: 9 })
    expect(extentOf({ ...rows, emptySets: [{ vault_address: "b", day: 4 }] })).toBeUndefined()
  })
})
