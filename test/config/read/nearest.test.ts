// The known name that a mistyped one is compared with.
import { expect, it } from "@effect/vitest"
import { didYouMean } from "../../../src/config/read/nearest.ts"

it("is none for a text that is longer than any name", () => {
  expect(didYouMean("vault", ["runs", "vaults"])).toBe("; did you mean `vaults`?")
  for (const text of ["x".repeat(101), "x".repeat(5_000_000)]) {
    expect(didYouMean(text, [`${text}x`])).toBe("")
  }
})
