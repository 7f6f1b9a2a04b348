// What a question's comments say of its parameters.
import { describe, expect, it } from "vitest"
import { declaredParameters } from "../../src/cli/query/declared.ts"

describe("declaredParameters", () => {
  it("reads a name and a value, typed as --param types it, from comments alone", () => {
    const sql = `-- How many?
--     $vault = null  whose
--     $days = 30     how many
--     $from = 2026-01-31
--     $name = 'two words'  and what they mean
    -- $inside = true
select $vault, $days, '$days = 7' -- $late = 1
`
    expect(declaredParameters(sql)).toEqual({
      vault: null,
      days: 30,
      from: { day: 20484 },
      name: "two words",
      inside: true,
    })
  })

  it("finds nothing where nothing is declared", () => {
    expect(declaredParameters("select $vault")).toEqual({})
  })
})
