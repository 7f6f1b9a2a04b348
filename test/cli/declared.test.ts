// What a question's comments say of its parameters.
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { declaredParameters, parametersFor } from "../../src/cli/query/declared.ts"

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

describe("parametersFor", () => {
  const sql = "-- $days = 30\n-- $unused = 1\nselect $days, $vault"

  it("takes what is typed before what is declared, and leaves out what nothing uses", () => {
    expect(parametersFor(sql, { vault: "a" })).toEqual(Result.succeed({ days: 30, vault: "a" }))
    expect(parametersFor(sql, { days: 7 })).toEqual(Result.succeed({ days: 7 }))
  })

  it("says which parameters there are to a name that is none of them", () => {
    const refused = parametersFor(sql, { vaul: "a" })
    expect(Result.isFailure(refused)).toBe(true)
    expect(Result.isFailure(refused) && refused.failure.message).toMatch(
      /no \$vaul\.\s.*\$days, \$vault/,
    )
    expect(Result.isFailure(parametersFor("select 1", { days: 1 }))).toBe(true)
  })
})
