// Which parameters a query has, and which value it takes.
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { parametersFor } from "../../src/cli/query/parameters.ts"
import { parametersIn } from "../../src/pipelines/readers/published.ts"

const sql = "-- $unused\nselect $vault, coalesce(getvariable('days'), 30)"

describe("parametersIn", () => {
  it("leaves out values of names the query does not have", () => {
    expect(parametersIn(sql, { vault: "a", days: 7, other: 1 })).toEqual({ vault: "a", days: 7 })
  })
})

describe("parametersFor", () => {
  it("takes values of $name and of getvariable('name')", () => {
    expect(parametersFor(sql, { vault: "a", days: 7 })).toEqual(
      Result.succeed({ vault: "a", days: 7 }),
    )
  })

  it("names the parameters there are when a name is none of them", () => {
    const refused = parametersFor(sql, { vaul: "a" })
    expect(Result.isFailure(refused) && refused.failure.message).toMatch(
      /no parameter vaul\.\s.*vault, days/,
    )
    expect(Result.isFailure(parametersFor("select 1", { days: 1 }))).toBe(true)
    expect(Result.isFailure(parametersFor(sql, { unused: 1 }))).toBe(true)
  })
})
