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

/**
 * For records that carry the time of their own reading, which would make a version of every one: these
 * fields and all of such a meaning, gathered by `mapCurrent`. Every slowly changing table with `extra` has it.
 */
export const reportedAt: Column = {
  name: "reported_at",
  type: "timestamp",
  unit: "UTC",
  fields: [
    "reported_at",
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
    "refreshed_at",
    "refreshedAt",
    "last_refreshed_at",
    "lastRefreshedAt",
    "last_updated_at",
    "lastUpdatedAt",
  ],
  isIncidental: true,
  comment:
    "When the service says it determined this, as of the row's first reading; the first of such times, the others stay in the archived answer",
}

/** The same for times inside records within the record, which `mapCurrent` lifts out of them. */
export const reportedTimes: Column = {
  name: "reported_times",
  type: "json",
  fields: ["reported_times"],
  isIncidental: true,
  comment:
    "Times of that kind inside nested records, by their place, such as `oracle.last_updated`: taken out of the JSON of the other columns, as of the row's first reading; null when there is none",
}
