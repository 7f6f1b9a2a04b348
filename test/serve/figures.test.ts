// Figures as pages and reports show them.
import { expect, it } from "vitest"
import { completePart, MISSING } from "../../src/serve/figures.ts"

it("what is nearly complete does not read as complete", () => {
  expect(completePart(719 / 720, 0)).toBe("99 %")
  expect(completePart(87_599 / 87_600, 1)).toBe("99.9 %")
  expect(completePart(1, 1)).toBe("100.0 %")
  expect(completePart(null, 0)).toBe(MISSING)
  // None is a hundredth less for being a product in binary, as 0.29 * 100 is.
  const wrong = Array.from({ length: 1001 }, (_, at) => at).filter(
    (at) => completePart(at / 1000, 1) !== `${(at / 10).toFixed(1)} %`,
  )
  expect(wrong).toEqual([])
})
