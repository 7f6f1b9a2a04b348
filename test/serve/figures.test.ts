// Figures as pages and reports show them.
import { expect, it } from "vitest"
import {
  age,
  amount,
  compact,
  completePart,
  count,
  instant,
  MISSING,
  money,
  multiple,
  percent,
  ratio,
  shortened,
  times,
} from "../../src/serve/figures.ts"

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

const formats = { amount, compact, count, money, multiple, percent, ratio, times }

it.each(Object.entries(formats))("%s of nothing is a dash, and of zero it is zero", (_, format) => {
  for (const value of [null, undefined, "", "none", Number.NaN]) expect(format(value)).toBe("–")
  for (const value of [0, "0"]) expect(format(value)).toMatch(/^0(\.0+)?( [%×])?$/)
})

it.each([
  [ratio, 1, "1.0000"],
  [ratio, 0.99996, "0.9999"],
  [ratio, 1.00006, "1.0000"],
  [times, 0.9999, "0.99"],
  [times, 1.1, "1.1"],
  [multiple, 1.509, "1.5 ×"],
  [percent, 0.0512, "5.12 %"],
  [percent, -0.5, "-50.00 %"],
  [percent, "0.12345", "12.35 %"],
  [count, 1234.6, "1,235"],
  [amount, 1_234_567.89, "1,234,570"],
  [amount, 0.00012345678, "0.000123457"],
  [money, 64_949_999, "64.9M"],
  [money, -1234, "-1.23K"],
  [compact, 123_456, "123.46K"],
] as const)("%o of %s is %s", (format, value, text) => {
  expect(format(value)).toBe(text)
})

it("an instant is shown to its minute, a day as it is", () => {
  expect(instant("2026-11-22T12:40:59.999Z")).toBe("2026-11-22 12:40")
  expect(instant("2026-11-22")).toBe("2026-11-22")
  for (const value of [null, undefined, "", 5]) expect(instant(value)).toBe("–")
})

it("an age is in hours below two days, and never more than it is", () => {
  const from = "2026-11-20T00:00:00Z"
  expect(age(from, "2026-11-20T00:59:59Z")).toBe("0 h old")
  expect(age(from, "2026-11-21T23:59:59Z")).toBe("47 h old")
  expect(age(from, "2026-11-22T00:00:00Z")).toBe("2 d old")
  expect(age(from, "2026-11-22T23:59:59Z")).toBe("2 d old")
})

it("an id is shortened if that leaves something out", () => {
  expect(shortened("1234567890123456")).toBe("1234567890123456")
  expect(shortened("12345678901234567")).toBe("12345678…234567")
})
