// Which parameters a query has, and which value it takes.
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { parametersFor } from "../../../../src/cli/commands/query/parameters.ts"

const sql = "-- $unused\nselect $vault, coalesce(getvariable('days'), 30)"

describe("parametersFor", () => {
  it("takes values of $name and of getvariable('name')", () => {
    expect(Effect.runSync(parametersFor(sql, { vault: "a", days: 7 }))).toEqual({
      vault: "a",
      days: 7,
    })
  })

  it("names the parameters there are when a name is none of them", () => {
    const refusal = (text: string, name: string) =>
      Effect.runSync(Effect.flip(parametersFor(text, { [name]: 1 }))).message
    expect(refusal(sql, "vaul")).toMatch(/no parameter vaul\.\s.*vault, days/)
    expect(refusal("select 1", "days")).toContain("It has no parameters.")
    expect(refusal(sql, "unused")).toContain("no parameter unused")
  })
})
