// Where the arrays of an APY chart are.
import * as Result from "effect/Result"
import { expect, it } from "vitest"
import { historicalApyChart } from "../../../../src/extract/endpoints/transparency/historical_apy_chart.ts"

const { locate = Result.succeed } = historicalApyChart

const chart = { labels: ["2026-01-31"], datasets: [{ data: [4.5] }] }

it.each([
  ["as documented", { apy: 4.5, ...chart }, { apy: 4.5, ...chart }],
  ["in `data`", { apy: 4.5, data: chart }, { apy: 4.5, ...chart }],
  [
    "beside a `data` of another meaning",
    { ...chart, data: { labels: ["other"], note: 1 } },
    { ...chart, data: { labels: ["other"], note: 1 } },
  ],
  ["beside a `data` that is no object", { ...chart, data: [1] }, { ...chart, data: [1] }],
  ["nowhere", { data: null }, { data: null }],
])("the arrays of a chart: %s", (_, body, found) => {
  expect(locate(body)).toEqual(Result.succeed(found))
})

it("a chart that is no object is refused", () => {
  expect(locate([chart])).toEqual(Result.fail({ path: "$", detail: "is not an object" }))
})
