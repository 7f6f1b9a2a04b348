// core.vault_details: the description in each vault's details, with its history.
import { field } from "../../../domain/table/column.ts"
import type { Table } from "../../../domain/table/table.ts"
import { restOfRecord, vaultAddress, vaultChainId } from "../shared.ts"
import { vaultDescription } from "../vaultDescription.ts"

// Only names that say percent: figures in another unit stay in the JSON.
const fee = (kind: string, comment: string) =>
  field.double(`${kind}_fee_pct`, `${comment} core.fees is the source of fees`, {
    names: [`fee_structure.${kind}_fee_pct`, `fees.${kind}_fee_pct`, `${kind}_fee_pct`],
    unit: "percent",
  })

export const vaultDetails: Table = {
  schema: "core",
  name: "vault_details",
  mode: "slowly_changing",
  grain: "vault and version of its description",
  comment:
    "Vault details with the history of their descriptions. Changing figures are in core.vault_detail_metrics; strategies, operators, rewards and integrations have their own tables.",
  source: "GET /tokenized_vault/{vault_address} (§4.2, §2.10)",
  key: ["chain_id", "vault_address"],
  columns: [
    vaultChainId,
    vaultAddress,
    ...vaultDescription,
    field.text("vault_logo_url", "Address of the logo", { names: ["vault_logo_url", "logo"] }),
    field.json("fee_structure", "Fee structure, as sent", { names: ["fee_structure", "fees"] }),
    fee("management", "Management fee on the vault's page; 1.5 is 1.5%."),
    fee("performance", "Performance fee on the vault's page; 10 is 10%."),
    field.json("platform_fee_override", "Platform fees that differ for this vault, as sent"),
    field.double("reserve_tolerance", "Tolerance around the reserve's target, as sent"),
    field.double("max_daily_drawdown", "Declared maximum daily drawdown, as sent"),
    field.json("lag_duration", "Lag of the vault, as sent"),
    ...restOfRecord,
  ],
  example:
    "select vault_name, fee_structure, valid_from from core.vault_details where is_current order by vault_name",
}
