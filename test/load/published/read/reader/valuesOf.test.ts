// Lists, structs, maps and unions as JSON, with each field of a struct, whatever its name.
import { DuckDBInstance } from "@duckdb/node-api"
import { afterAll, expect, it } from "vitest"
import { valuesOf } from "../../../../../src/load/published/read/reader/valuesOf.ts"

const instance = await DuckDBInstance.create(":memory:")
const connection = await instance.connect()
afterAll(() => {
  connection.closeSync()
  instance.closeSync()
})

/** The values that some SQL lists, as JSON. */
const listed = async (sql: string) => {
  const result = await connection.run(`select unnest([${sql}])`)
  const vector = (await result.fetchChunk())?.getColumnVector(0)
  return vector === undefined
    ? []
    : Array.from({ length: vector.itemCount }, (_, at) => JSON.stringify(valuesOf(vector)(at)))
}

it.each([
  ["row(1, 2), null, row(null, 4)", ["[1,2]", "null", "[null,4]"]],
  ["row(row(1, 'a'), [row(2, 'b')])", [`[[1,"a"],[[2,"b"]]]`]],
  ["struct_insert(row(1, 2), c := 3)", ["[1,2,3]"]],
  ["{'a': 1, 'b': row(1, 2)}, null", [`{"a":1,"b":[1,2]}`, "null"]],
  [
    "{'__proto__': 1, 'b': 2}, {'__proto__': 3, 'b': null}",
    [`{"__proto__":1,"b":2}`, `{"__proto__":3,"b":null}`],
  ],
  ["{'a': {'__proto__': {'constructor': 1}}}", [`{"a":{"__proto__":{"constructor":1}}}`]],
  ["[{'__proto__': 1}, null], null, []", [`[{"__proto__":1},null]`, "null", "[]"]],
  [
    "[row(1, 2), row(3, 4)]::struct(a int, __proto__ int)[2], null",
    [`[{"a":1,"__proto__":2},{"a":3,"__proto__":4}]`, "null"],
  ],
  [
    "[[1, 2], [3, null]]::int[2][2], null, [null, [5, 6]]",
    ["[[1,2],[3,null]]", "null", "[null,[5,6]]"],
  ],
  ["map {'__proto__': row(1, 2)}, null", [`[{"key":"__proto__","value":[1,2]}]`, "null"]],
  [
    "1::union(a int, __proto__ varchar), 'x', null",
    [`{"tag":"a","value":1}`, `{"tag":"__proto__","value":"x"}`, "null"],
  ],
  ["[1, 2::bigint, 9007199254740993]", [`[1,2,"9007199254740993"]`]],
  ["[{'at': timestamp '9999-12-31 23:59:59.999999'}]", [`[{"at":"9999-12-31T23:59:59.999999Z"}]`]],
])("%s", async (sql, expected) => {
  expect(await listed(sql)).toEqual(expected)
})
