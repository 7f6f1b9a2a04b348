// Figures of a period, added up over vaults.
import { expect, it } from "vitest"
import { periodFigures, periodTotal } from "../../src/serve/periods/figures.ts"

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
