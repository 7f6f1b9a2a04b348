// core.vaults: what each vault was described as, and since when.
import type { Table } from "../../../domain/table.ts"
import { chainId, extra, reportedAt, reportedTimes, vaultAddress } from "../shared.ts"

export const vaults: Table = {
  schema: "core",
  name: "vaults",
  mode: "slowly_changing",
  grain: "vault and version of its description",
  comment:
    "Tokenized vaults with the history of their descriptions; one that is in no list any more has ended. Figures that move all the time are in core.vault_reported_metrics.",
  source: "GET /tokenized_vault (§4.2, §2.10)",
  key: ["chain_id", "vault_address"],
  columns: [
    { ...chainId, required: true },
    vaultAddress,
    {
      name: "vault_address_as_served",
      type: "text",
      required: true,
      comment: "The address as the service spells it",
    },
    {
      name: "chain_type",
      type: "text",
      required: true,
      comment: "`evm`, `solana` or `stellar`, by the form of the address",
    },
    {
      name: "vault_name",
      type: "text",
      fields: ["vault_name", "vaultName", "name"],
      comment: "Display name",
    },
    { name: "description", type: "text", fields: ["description"], comment: "Description" },
    {
      name: "status",
      type: "text",
      fields: ["status"],
      comment: "`active` accepts deposits, `closed` accepts no new ones (§2.10)",
    },
    {
      name: "internal_type",
      type: "text",
      fields: ["internal_type", "internalType"],
      comment: "The platform's own type of the vault",
    },
    {
      name: "public_type",
      type: "text",
      fields: ["public_type", "publicType", "type"],
      comment: "Type of the vault as shown to users",
    },
    {
      name: "is_visible",
      type: "boolean",
      fields: ["is_visible", "isVisible"],
      comment: "Whether the platform shows the vault",
    },
    {
      name: "is_featured",
      type: "boolean",
      fields: ["is_featured", "isFeatured"],
      comment: "Whether the platform features the vault",
    },
    {
      name: "started_at",
      type: "timestamp",
      unit: "UTC",
      fields: ["start_datetime", "startDatetime"],
      comment: "Start of the vault",
    },
    {
      name: "receipt_token_symbol",
      type: "text",
      fields: ["receipt_token_symbol", "receiptTokenSymbol"],
      comment: "Symbol of the receipt token",
    },
    {
      name: "weekly_performance_fee_bps",
      type: "double",
      unit: "basis points",
      fields: ["weekly_performance_fee_bps", "weeklyPerformanceFeeBps"],
      comment: "Weekly performance fee",
    },
    {
      name: "reserve_target",
      type: "double",
      fields: ["reserve_target", "reserveTarget"],
      comment: "Target of the reserve, as served",
    },
    {
      name: "max_drawdown",
      type: "double",
      fields: ["max_drawdown", "maxDrawdown"],
      comment: "Declared maximum drawdown, as served",
    },
    { name: "risk", type: "json", fields: ["risk"], comment: "Risk description, as served" },
    reportedAt,
    reportedTimes,
    extra,
  ],
  example:
    "select vault_name, status, valid_from from core.vaults where is_current order by vault_name",
}
