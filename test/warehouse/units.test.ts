// No unit is claimed that the API document does not give (§2.9), and one name for two figures is explained.
import { expect, it } from "vitest"
import { coreTables } from "../../src/pipelines/pipelines.ts"
import { marts } from "../../src/load/marts/marts.ts"

const column = (mart: string, name: string) =>
  marts.find((each) => each.name === mart)?.columns.find((each) => each.name === name)

it.each(["vault_latest", "vault_daily", "vault_hourly"])(
  "%s: backing and supply have the unit of core.ratio_history, which is none",
  (mart) => {
    const ratio = coreTables.find(({ name }) => name === "ratio_history")
    const units = ["actual_tvl", "tvl_on_vault"].map(
      (name) => ratio?.columns.find((each) => each.name === name)?.unit,
    )
    expect(units).toEqual(Array(2).fill("as sent; the document names no unit"))
    expect([column(mart, "backing")?.unit, column(mart, "supply")?.unit]).toEqual(units)
  },
)

it("vault_latest and vault_daily each say what the other calls reported_tvl", () => {
  expect(column("vault_latest", "reported_tvl")?.comment).toContain("mart.vault_daily")
  expect(column("vault_latest", "contract_tvl")?.comment).toContain("mart.vault_daily")
  expect(column("vault_daily", "reported_tvl")?.comment).toContain("mart.vault_latest")
})
