// core.vault_details: what each vault's own page describes it as, and since when.
import type { Column, Table } from "../../../domain/table.ts"
import { chainId, extra, vaultAddress } from "../shared.ts"
import { vaults } from "./vaults.ts"

/** What the list describes a vault by, the detail does too. */
const described: ReadonlyArray<Column> = vaults.columns.filter(({ fields }) => fields !== undefined)

export const vaultDetails: Table = {
  schema: "core",
  name: "vault_details",
  mode: "slowly_changing",
  grain: "vault and version of its description",
  comment:
    "Vault details with the history of their descriptions. Figures that move are in core.vault_detail_metrics; strategies, operators, rewards and integrations have tables of their own.",
  source: "GET /tokenized_vault/{vault_address} (§4.2, §2.10)",
  key: ["chain_id", "vault_address"],
  columns: [
    { ...chainId, required: true },
    vaultAddress,
    ...described,
    {
      name: "vault_logo_url",
      type: "text",
      fields: ["vault_logo_url", "vaultLogoUrl", "logo_url", "logoUrl", "logo"],
      comment: "Address of the logo",
    },
    {
      name: "fee_structure",
      type: "json",
      fields: ["fee_structure", "feeStructure", "fees"],
      comment: "Fee structure, as served",
    },
    {
      name: "management_fee_pct",
      type: "double",
      unit: "percent",
      comment:
        "Management fee the vault's own page tells; 1.5 is 1.5%. core.fees is the source of fees",
    },
    {
      name: "performance_fee_pct",
      type: "double",
      unit: "percent",
      comment:
        "Performance fee the vault's own page tells; 10 is 10%. core.fees is the source of fees",
    },
    {
      name: "platform_fee_override",
      type: "json",
      fields: ["platform_fee_override", "platformFeeOverride"],
      comment: "Fees of the platform that differ for this vault, as served",
    },
    {
      name: "reserve_tolerance",
      type: "double",
      fields: ["reserve_tolerance", "reserveTolerance"],
      comment: "Tolerance around the reserve's target, as served",
    },
    {
      name: "max_daily_drawdown",
      type: "double",
      fields: ["max_daily_drawdown", "maxDailyDrawdown"],
      comment: "Declared maximum daily drawdown, as served",
    },
    {
      name: "lag_duration",
      type: "json",
      fields: ["lag_duration", "lagDuration"],
      comment: "Lag of the vault, as served",
    },
    extra,
  ],
  example:
    "select vault_name, fee_structure, valid_from from core.vault_details where is_current order by vault_name",
}
