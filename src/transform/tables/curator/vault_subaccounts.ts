// core.vault_subaccounts: which subaccounts work for which vault, and since when.
import type { Table } from "../../../domain/table.ts"
import {
  chainId,
  extra,
  reportedAt,
  reportedTimes,
  subaccountAddress,
  vaultAddress,
} from "../shared.ts"
import { listItemColumns, subaccountAddressAsServed } from "../subaccountColumns.ts"

export const vaultSubaccounts: Table = {
  schema: "core",
  name: "vault_subaccounts",
  mode: "slowly_changing",
  grain: "vault, linked subaccount and version of its description",
  comment:
    "Links between vaults and subaccounts with their history; a link that was removed has ended. Needs the key of a curator of the vault, or an admin key.",
  source: "GET /curator/vaults/{vault_address}/subaccounts (§4.4, §2.1)",
  key: ["vault_address", "subaccount_address"],
  columns: [
    vaultAddress,
    chainId,
    subaccountAddress,
    subaccountAddressAsServed,
    ...listItemColumns,
    reportedAt,
    reportedTimes,
    extra,
  ],
  example:
    "select vault_address, count(*) as subaccounts from core.vault_subaccounts where is_current group by vault_address order by subaccounts desc",
}
