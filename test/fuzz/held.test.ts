// The comparison of rows with responses notices what it is there for.
import { describe, expect, it } from "vitest"
import { field, text } from "../../src/domain/table/column.ts"
import type { Table } from "../../src/domain/table/table.ts"
import { heldBy, isHeld, placesIn, unheld } from "./held.ts"

const table: Table = {
  schema: "core",
  name: "figures",
  mode: "history",
  grain: "figure",
  comment: "Figures",
  source: "§2",
  key: ["figure_id"],
  columns: [
    text("place", "Where"),
    field.text("figure_id", "Its id"),
    field.double("value", "Its value"),
    field.amount("raw", "Its digits"),
    field.boolean("is_open", "Whether it is open"),
  ],
  example: "select 1",
}

const body = {
  vault: "a",
  figures: [
    { figure_id: "one", value: 1.25, raw: "9007199254740993", is_open: true, is_new: false },
    { figure_id: "two", value: 2.5, raw: 7 },
    { figure_id: "large", value: 2.5, raw: 2.000_167_9e25 },
    { figure_id: "small", value: 2.5, raw: 2.5e-7 },
  ],
}

const missing = (...rows: ReadonlyArray<ReadonlyArray<string | number | boolean | null>>) =>
  unheld(
    {
      table,
      length: rows.length,
      columns: table.columns.map((_, at) => rows.map((row) => row[at] ?? null)),
    },
    placesIn(body),
  )

const one = ["here", "one", 1.25, "9007199254740993", true] as const
const two = ["here", "two", 2.5, "7", null] as const

describe("a row that the response holds", () => {
  it("has the values of one of its records", () => {
    const large = ["here", "large", 2.5, "20001679000000000000000000", null] as const
    const small = ["here", "small", 2.5, "0.00000025", null] as const
    expect(missing(one, two, large, small)).toEqual([])
  })

  it("has none of another record", () => {
    expect(missing(one, ["here", "two", 1.25, "7", null])).toEqual(["figures.value: 1.25"])
  })

  it.each([
    ["another power of ten", ["here", "two", 250, "7", null], "figures.value: 250"],
    [
      "digits that a double can't tell apart",
      ["here", "one", 1.25, "9007199254740992", true],
      "figures.raw: ",
    ],
    [
      "a hash in a column that is no key's",
      ["here", "two", 2.5, "a".repeat(64), null],
      "figures.raw: ",
    ],
    [
      "a flag that means the opposite",
      ["here", "one", 1.25, "9007199254740993", false],
      "figures.is_open: false",
    ],
    ["a flag where the record has none", ["here", "two", 2.5, "7", true], "figures.is_open: true"],
  ])("has not %s", (_, row, what) => {
    const found = missing(one, row)
    expect(found).toHaveLength(1)
    expect(found[0]).toContain(what)
  })

  it("may have a hash only as a key, and a joined key only of texts that it holds", () => {
    const [, id] = table.columns
    const held = [heldBy({ chain: 1, hash: "0xab" })]
    expect(isHeld(id!, "1:0xab#2", held)).toBe(true)
    expect(isHeld(id!, "2:0xab", held)).toBe(false)
    expect(isHeld(id!, "a".repeat(64), held)).toBe(false)
    expect(isHeld(id!, "a".repeat(64), held, true)).toBe(true)
  })
})
