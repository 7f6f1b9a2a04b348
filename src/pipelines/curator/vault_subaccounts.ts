// Which subaccounts work for which vault, as far as the key's user curates it.
import { vaultSubaccounts as endpoint } from "../../extract/endpoints/curator/vault_subaccounts.ts"
import { vaultSubaccountRows } from "../../transform/tables/subaccounts/subaccountRecords.ts"
import { vaultSubaccounts } from "../../transform/tables/curator/vault_subaccounts.ts"
import { ask, snapshot } from "../walks/snapshot.ts"
import { vaults } from "../walks/targets.ts"

export const vaultSubaccountsPipeline = snapshot({
  name: "vault_subaccounts",
  title: "Subaccounts of vaults",
  tables: [vaultSubaccounts],
  endpoint,
  // A key that opens its own subaccounts is known to be good: what is then refused is the vault, not the key.
  after: ["vaults", "my_subaccounts"],
  targets: vaults,
  questions: ({ served }) => ask<typeof endpoint.parameters>({ vault_address: served }),
  rows: vaultSubaccountRows,
})
