import { expect, it } from "vitest"
import {
  boolean,
  decodeRow,
  json,
  list,
  number,
  oneOf,
  optional,
  text,
} from "../../../src/load/duckdb/decodeRow.ts"

it("reads each column by its type", () => {
  const decode = decodeRow({
    entity: text("entity"),
    rows: number("row_count"),
    isOpen: boolean("is_open"),
    cursor: json("cursor"),
    days: list(number)("days"),
    state: oneOf("open", "closed")("state"),
    window: optional(text)("window"),
  })
  expect(
    decode({
      entity: "0xabc",
      row_count: 3,
      is_open: false,
      cursor: '{"from":1}',
      days: [1, 2],
      state: "open",
      window: null,
    }),
  ).toEqual({
    entity: "0xabc",
    rows: 3,
    isOpen: false,
    cursor: { from: 1 },
    days: [1, 2],
    state: "open",
    window: undefined,
  })
})

it.each([
  [{ entity: null }, 'gave null for "entity"; expected text'],
  [{ entity: 7 }, 'gave 7 for "entity"; expected text'],
  [{}, 'gave no such column for "entity"'],
])("names the column that %j does not hold as text", (row, message) => {
  expect(() => decodeRow({ entity: text("entity") })(row)).toThrow(message)
})

it("refuses a value outside a fixed list, and a missing optional column", () => {
  expect(() => oneOf("open", "closed")("state")({ state: "ajar" })).toThrow("one of open, closed")
  expect(() => optional(text)("window")({})).toThrow("no such column")
})
