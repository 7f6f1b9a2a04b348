// Columns that mean the same in every table that has them.
import type { Column } from "../../domain/table.ts"

export const vaultAddress: Column = {
  name: "vault_address",
  type: "text",
  required: true,
  comment: "Vault address; EVM in lower case, Solana and Stellar as served",
}

export const subaccountAddress: Column = {
  name: "subaccount_address",
  type: "text",
  required: true,
  comment: "Subaccount address; EVM in lower case, Solana and Stellar as served",
}

export const chainId: Column = {
  name: "chain_id",
  type: "integer",
  comment: "The platform's chain id of the vault, from its record",
}

export const extra: Column = {
  name: "extra",
  type: "json",
  comment: "Every field without a column of its own, values intact; null when there is none",
}

/** For records that carry the time of their own reading, which would make a version of every one. */
export const reportedAt: Column = {
  name: "reported_at",
  type: "timestamp",
  unit: "UTC",
  fields: [
    "checked_at",
    "checkedAt",
    "calculated_at",
    "calculatedAt",
    "computed_at",
    "computedAt",
    "fetched_at",
    "fetchedAt",
    "generated_at",
    "generatedAt",
    "as_of",
    "asOf",
    "last_updated",
    "lastUpdated",
    "updated_at",
    "updatedAt",
  ],
  isIncidental: true,
  comment: "When the service says it determined this, as of the row's first reading",
}
