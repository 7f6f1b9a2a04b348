// The tables of a vault's holdings.
import { expect, it } from "vitest"
import { table } from "../../../src/serve/html/table.ts"
import { vaultHoldings } from "../../../src/serve/pages/vaultHoldings.ts"

it("the APR of a loan is shown as sent: the document does not say whether it is a fraction or a percentage", () => {
  const { loans } = vaultHoldings({ chain_id: 1, vault_address: "a" })
  if (loans === undefined) throw new Error("a vault's holdings have no loans")
  const shown = String(table({ ...loans, rows: [{ loan_id: "1:l", loan_address: "l", apr: 8.5 }] }))
  expect(shown).toMatch(/data-label="APR, as sent">8\.5\s*</)
})
