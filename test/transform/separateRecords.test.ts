// What is no record among records, wherever a list may stand in a response.
import { expect, it } from "vitest"
import { separateRecords } from "../../src/transform/separateRecords.ts"

const record = { a: 1 }

it.each([
  [[record, null, record], [record, record], ["$[1]"]],
  [{ rows: [record, 5] }, { rows: [record] }, ["$.rows[1]"]],
  [{ data: { points: ["x", record] } }, { data: { points: [record] } }, ["$.data.points[0]"]],
])("sets %j aside alone", (value, kept, paths) => {
  const separated = separateRecords(value)
  expect(separated.value).toEqual(kept)
  expect(separated.rejected.map(({ path }) => path)).toEqual(paths)
})

it.each([
  [[record, record]],
  [[1, null]],
  [[]],
  [{ labels: ["1/1/2026"], values: [0.1, null] }],
  // Inside a record, a list is a value of the record.
  [[{ tags: [record, null] }]],
])("leaves %j as it is", (value) => {
  const separated = separateRecords(value)
  expect(separated.value).toBe(value)
  expect(separated.rejected).toEqual([])
})
