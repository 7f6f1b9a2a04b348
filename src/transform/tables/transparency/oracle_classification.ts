// core.oracle_classification: how each position of a vault was priced on each day.
import type { Table } from "../../../domain/table.ts"
import { tokenAddress } from "../positionColumns.ts"
import { chainId, extra, vaultAddress } from "../shared.ts"

export const oracleClassification: Table = {
  schema: "core",
  name: "oracle_classification",
  mode: "history",
  grain: "vault, day and position",
  comment:
    "Pricing class of each position or token by day, from the newest daily snapshot. A day read again has the positions it then had; one it no longer has is in the versions, unless that answer came with warnings. What could not be resolved is in core.observation_warnings.",
  source: "GET /platform/oracle_classification/{vault_address} (§4.1, §2.9)",
  key: ["vault_address", "chain_id", "date", "position_id"],
  setKey: ["vault_address", "chain_id", "date"],
  time: "date",
  columns: [
    vaultAddress,
    { ...chainId, required: true },
    {
      name: "date",
      type: "date",
      unit: "UTC day",
      required: true,
      comment: "Day of the snapshot; of the answer where it tells none",
    },
    {
      name: "position_id",
      type: "text",
      required: true,
      comment:
        "The record's id, else its position and token, else a hash of it; `#2` and so on where repeated",
    },
    {
      name: "position",
      type: "text",
      fields: ["position", "position_name", "positionName", "name", "label"],
      comment: "Name of the position",
    },
    {
      name: "token_symbol",
      type: "text",
      fields: ["token_symbol", "tokenSymbol", "symbol", "token", "asset"],
      comment: "Symbol of the token",
    },
    tokenAddress,
    {
      name: "token_address_as_served",
      type: "text",
      fields: ["token_address", "tokenAddress", "address"],
      comment: "The address as the service spells it",
    },
    {
      name: "pricing_class",
      type: "text",
      fields: [
        "pricing_class",
        "pricingClass",
        "classification",
        "class",
        "oracle_class",
        "oracleClass",
        "pricing_type",
        "pricingType",
        "category",
      ],
      comment: "Primary, Secondary Market or CeFi, as served",
    },
    {
      name: "usd_value",
      type: "double",
      unit: "USD",
      fields: [
        "usd_value",
        "usdValue",
        "value_usd",
        "valueUsd",
        "total_usd",
        "totalUsd",
        "amount_usd",
        "amountUsd",
        "usd",
        "value",
      ],
      comment: "Value of the position",
    },
    extra,
    {
      name: "snapshot_extra",
      type: "json",
      comment: "What the answer says beside its records; the same in all rows of a day",
    },
  ],
  example:
    "select date, pricing_class, sum(usd_value) as usd_value from core.oracle_classification group by all order by date desc",
}
