// The result of pages that land together: whole sets only if no record of any page was rejected.
import { expect, it } from "vitest"
import type { Rows } from "../../../src/domain/table/table.ts"
import { hasRows, resultOf } from "../../../src/pipelines/strategies/taskResult.ts"
import { descriptions, rowsOf } from "../../load/sample.ts"
import { holdings, holdingsOn } from "../../load/sets.ts"

const set = (title: string) => ({
  ...rowsOf(descriptions, [{ vault_address: "a", title, fee: 1 }], 1000),
  mergeKey: { vault_address: "a" },
})

const page = (rows: ReadonlyArray<Rows>) => ({ rows, drift: [], responses: [], requests: 2 })

const rejected = [{ path: "$[3]", detail: "is no record", responseId: "r-2" }]

it("keeps the sets of pages without a rejected record", () => {
  const [first, second] = [set("A"), set("B")]
  const result = resultOf(
    "snapshot",
    { ...page([first]), rejected: [] },
    { ...page([second]), rejected: [] },
  )
  expect(result).toMatchObject({ window: "snapshot", requests: 4, rejected: [] })
  expect(result.rows).toEqual([first, second])
})

it("keeps none of any page if a record of one was rejected: it may be a member of each", () => {
  const ofDay = holdingsOn(19_752, 1000, { Aave: 1 })
  const pages = [
    { ...page([set("A")]), rejected: [] },
    { ...page([set("B")]), rejected },
    { rows: [ofDay], drift: [], responses: [], requests: 1, rejected: [] },
  ]
  const result = resultOf("snapshot", ...pages)
  expect(result.rejected).toEqual(rejected)
  expect(result.rows.map(({ mergeKey }) => mergeKey)).toEqual([undefined, undefined, undefined])
  // In a history the sets are those that its table declares.
  expect(result.rows.map(({ table, isPartial }) => [table.name, isPartial])).toEqual([
    [descriptions.name, undefined],
    [descriptions.name, undefined],
    [holdings.name, true],
  ])
  expect(result.rows[2]?.columns).toEqual(ofDay.columns)
})

it("a response holds something where it has a row or an empty set, but for a warning or a total", () => {
  const [none, one] = [holdingsOn(19_752, 1000, {}), holdingsOn(19_752, 1000, { Aave: 1 })]
  const empty = { ...none, emptySets: [{ vault_address: "a", day: 19_752 }] }
  const beside = { ...one, secondary: "total" as const }
  expect([[], [none], [beside], [none, beside]].map(hasRows)).toEqual([false, false, false, false])
  expect([[one], [empty], [none, one], [beside, empty]].map(hasRows)).toEqual([
    true,
    true,
    true,
    true,
  ])
})
