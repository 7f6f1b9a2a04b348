// The period that an address names, and figures of one, added up over vaults.
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { periodFigures, periodTotal } from "../../src/serve/periods/figures.ts"
import { periodOf, type PeriodText } from "../../src/serve/periods/period.ts"

const whole = { from: "2023-01-01", to: "2024-03-01" }

it.each<[PeriodText, string, string, number]>([
  [{}, "2024-02-01", "2024-03-01", 30],
  [{ from: " ", to: "" }, "2024-02-01", "2024-03-01", 30],
  [{ to: "2024-02-29" }, "2024-01-31", "2024-02-29", 30],
  [{ from: "2024-02-29" }, "2024-02-29", "2024-03-01", 2],
  [{ from: "2024-02-29", to: "2024-02-29" }, "2024-02-29", "2024-02-29", 1],
  // Where a chart was zoomed; an end at midnight is that of the day before.
  [{ from: "2024-02-28T23:59:59Z", to: "2024-03-01T00:00:00Z" }, "2024-02-28", "2024-02-29", 2],
  [{ from: "2024-02-29T00:00:00Z", to: "2024-03-01T00:00:01Z" }, "2024-02-29", "2024-03-01", 2],
])("%j is %s to %s: %i days", (text, from, to, days) => {
  expect(Effect.runSync(periodOf(text, whole, 30))).toMatchObject({ from, to, days })
})

it("both days are in a period, to the last millisecond of it", () => {
  const days = { from: "2024-02-28", to: "2024-02-29" }
  expect(Effect.runSync(periodOf(days, whole, 30))).toMatchObject({
    fromAt: Date.parse("2024-02-28"),
    toAt: Date.parse("2024-03-01"),
  })
})

it.each<[PeriodText, string]>([
  [{ from: "2024-02-30" }, "from=2024-02-30 is not a day"],
  [{ to: "2023-02-29" }, "to=2023-02-29 is not a day"],
  [{ from: "2024-03-02" }, "from=2024-03-02 is after to=2024-03-01."],
  [{ from: "2024-02-29T12:00:00Z", to: "2024-02-29T12:00:00Z" }, "is after to=2024-02-29T12"],
])("%j is refused", (text, wrong) => {
  expect(Effect.runSync(Effect.flip(periodOf(text, whole, 30))).message).toContain(wrong)
})

it("the vaults of one address have its PnL once, and their own net value each", () => {
  const vault = {
    vault_address: "a",
    nav_usd: 1000,
    pnl_usd_change: 5,
    hours_below_par: 2,
    fees_usd: 1,
  }
  const rows = [
    { ...vault, chain_id: "1" },
    { ...vault, chain_id: "8453", nav_usd: 50, fees_usd: null },
    { ...vault, chain_id: "1", vault_address: "b" },
  ]
  const totals = periodFigures
    .filter(({ isSummed }) => isSummed === true)
    .map((figure) => [
      figure.column,
      String(periodTotal(figure, rows))
        .replaceAll(/<[^>]*>/g, " ")
        .trim(),
    ])
  expect(Object.fromEntries(totals)).toEqual({
    nav_usd: "2.05K",
    pnl_usd_change: "10",
    hours_below_par: "4",
    fees_usd: "2 2 of 3 vaults",
  })
})
