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
