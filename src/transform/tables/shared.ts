// Columns with the same meaning in every table.
import { type Column, field, integer, json, text, timestamp } from "../../domain/column.ts"
import { wireAddress } from "../fields/readers.ts"

export const vaultAddress = text(
  "vault_address",
  "Vault address; EVM in lower case, Solana and Stellar unchanged",
  { required: true },
)

export const subaccountAddress = text(
  "subaccount_address",
  "Subaccount address; EVM in lower case, Solana and Stellar unchanged",
  { required: true },
)

export const chainId = integer("chain_id", "The platform's chain id of the vault, from its record")

export const vaultChainId = { ...chainId, required: true }

/** The address as the service spells it, for a column `<name>` in the spelling joins use. */
export const wireSpelling = (
  name: string,
  names: ReadonlyArray<string>,
  options: { readonly required?: true } = {},
) =>
  field.text(`${name}_wire`, "The address as the service spells it", {
    names,
    read: wireAddress,
    ...options,
  })

export const extra = json(
  "extra",
  "Every field without a column, values unchanged; null when there is none",
)

/**
 * For records with the time at which the service read or computed them, which would otherwise make a version each time.
 */
const reportedAt = timestamp(
  "reported_at",
  "When the service read or computed this record, as of the row's first response; the first of such times, the others stay in the archived response",
  { isIncidental: true },
)

/** The same for times inside nested records. */
export const reportedTimes = json(
  "reported_times",
  "Such times in nested records by their path, such as `oracle.last_updated`, as of the row's first response; the JSON of other columns leaves them out; null when there is none",
  { isIncidental: true },
)

/** What no other column takes: the last columns of a slowly changing table. */
export const restOfRecord: ReadonlyArray<Column> = [reportedAt, reportedTimes, extra]
