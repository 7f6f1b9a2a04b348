// The names of a result's columns, of which a query may give several alike.
import { expect, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { uniqueNames } from "../../../../../src/load/published/read/reader/uniqueNames.ts"

it.each([
  [
    ["a", "b"],
    ["a", "b"],
  ],
  [
    ["a", "a", "a"],
    ["a", "a:1", "a:2"],
  ],
  [
    ["a", "a", "a:1"],
    ["a", "a:2", "a:1"],
  ],
  [
    ["a:1", "a", "a", "a:1"],
    ["a:1", "a", "a:2", "a:1:1"],
  ],
  [
    ["constructor", "constructor", "__proto__", "__proto__"],
    ["constructor", "constructor:1", "__proto__", "__proto__:1"],
  ],
])("%j are %j", (names, unique) => {
  expect(uniqueNames(names)).toEqual(unique)
})

const Names = Schema.Array(Schema.Literals(["a", "a:1", "a:2", "a:1:1", "b"]))

it.prop("no two are alike, and the first of each name keeps it", [Names], ([names]) => {
  const unique = uniqueNames(names)
  expect(new Set(unique).size).toBe(names.length)
  for (const name of names) expect(unique[names.indexOf(name)]).toBe(name)
})
