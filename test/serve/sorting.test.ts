// Rows in the order that an address names.
import { expect, it } from "vitest"
import { sorted, sortLink } from "../../src/serve/html/sorting.ts"

const rows = [null, 2, 10, undefined, -1, 0].map((n, at) => ({ n, text: n?.toString(), at }))

it("numbers are in order of size, and what is missing comes last in both directions", () => {
  const order = (isDescending: boolean, by: string) =>
    sorted(rows, { by, isDescending }).map(({ n }) => n ?? "none")
  expect(order(false, "n")).toEqual([-1, 0, 2, 10, "none", "none"])
  expect(order(true, "n")).toEqual([10, 2, 0, -1, "none", "none"])
  // Integers of many digits are text.
  expect(order(false, "text").slice(-4)).toEqual([2, 10, "none", "none"])
  expect(order(true, "text").slice(0, 2)).toEqual([10, 2])
  expect(sorted(rows, { by: undefined, isDescending: true })).toBe(rows)
})

it("a header leads to the largest first, then to the smallest", () => {
  const link = (by: string | undefined, isDescending: boolean) =>
    sortLink({ by, isDescending }, "n", (sort) => sort)
  expect(link(undefined, false)).toEqual({ href: "-n", now: undefined })
  expect(link("other", true)).toEqual({ href: "-n", now: undefined })
  expect(link("n", true)).toEqual({ href: "n", now: "descending" })
  expect(link("n", false)).toEqual({ href: "-n", now: "ascending" })
})
