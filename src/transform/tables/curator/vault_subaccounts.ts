// core.vault_subaccounts: the subaccounts linked to each vault, with their history.
import type { Table } from "../../../domain/table/table.ts"
import { chainId, restOfRecord, vaultAddress } from "../shared.ts"
import { listedSubaccount, listItemColumns } from "../subaccountColumns.ts"

export const vaultSubaccounts: Table = {
  schema: "core",
  name: "vault_subaccounts",
  mode: "slowly_changing",
  grain: "vault, linked subaccount and version of its description",
  comment:
    "Links between vaults and subaccounts with their history; a link ends when it is removed. Needs a key of the vault's curator or an admin key.",
  source: "GET /curator/vaults/{vault_address}/subaccounts (§4.4, §2.1)",
  key: ["vault_address", "subaccount_address"],
  columns: [vaultAddress, chainId, ...listedSubaccount, ...listItemColumns, ...restOfRecord],
  example:
    "select vault_address, count(*) as subaccounts from core.vault_subaccounts where is_current group by vault_address order by subaccounts desc",
}
