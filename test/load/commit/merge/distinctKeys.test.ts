// When rows are proven to have distinct keys: a proof too many makes a key twice in a table that has it once.
import { describe, expect, it } from "@effect/vitest"
import type { Rows } from "../../../../src/domain/table/table.ts"
import { haveDistinctKeys } from "../../../../src/load/commit/merge/distinctKeys.ts"
import { descriptions, reading, readings, rowsOf } from "../../sample.ts"
import { holding, holdings } from "../../sets.ts"

const series = (...hours: ReadonlyArray<number>): Rows =>
  rowsOf(
    readings,
    hours.map((at) => reading("a", at, at)),
  )

describe("a series", () => {
  it("has distinct keys where its times rise or fall throughout", () => {
    expect(haveDistinctKeys([series(1, 2, 3)])).toBe(true)
    expect(haveDistinctKeys([series(3, 2, 1)])).toBe(true)
    expect(haveDistinctKeys([series(1)])).toBe(true)
  })

  it("has none proven where a time repeats or turns", () => {
    expect(haveDistinctKeys([series(1, 1)])).toBe(false)
    expect(haveDistinctKeys([series(1, 2, 2, 3)])).toBe(false)
    expect(haveDistinctKeys([series(1, 2, 1)])).toBe(false)
    expect(haveDistinctKeys([series(3, 1, 2)])).toBe(false)
    expect(haveDistinctKeys([series(1, Number.NaN, 2)])).toBe(false)
  })

  it("in several pages has them where the pages do not overlap", () => {
    expect(haveDistinctKeys([series(1, 2), series(3, 4)])).toBe(true)
    expect(haveDistinctKeys([series(1, 2), series(2, 3)])).toBe(false)
  })
})

describe("the members of a time", () => {
  it("must differ, whatever members other times have", () => {
    const [first, second] = [1, 2]
    const distinct = [holding(first, "Aave", 1), holding(first, "Morpho", 1)]
    const nextDay = [holding(second, "Aave", 1), holding(second, "Morpho", 1)]
    expect(haveDistinctKeys([rowsOf(holdings, [...distinct, ...nextDay])])).toBe(true)
    // Apart from each other, so that neither neighbours its repetition.
    expect(haveDistinctKeys([rowsOf(holdings, [...distinct, holding(first, "Aave", 2)])])).toBe(
      false,
    )
    const repeated = [...distinct, ...nextDay, holding(second, "Aave", 2)]
    expect(haveDistinctKeys([rowsOf(holdings, repeated)])).toBe(false)
  })
})

describe("a set without a time", () => {
  it("must not have a key twice", () => {
    const keys = (...vaults: ReadonlyArray<string>) =>
      rowsOf(
        descriptions,
        vaults.map((vault_address) => ({ vault_address, fee: 1 })),
      )
    expect(haveDistinctKeys([keys("a", "b")])).toBe(true)
    expect(haveDistinctKeys([keys("a", "b", "a")])).toBe(false)
    expect(haveDistinctKeys([keys("a", "a")])).toBe(false)
  })
})
