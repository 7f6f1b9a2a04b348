// Columns that have the same meaning in every table.
import {
  type Column,
  field,
  integer,
  json,
  type Reference,
  text,
} from "../../domain/table/column.ts"
import { reportTimeNames } from "../fields/reportTimes.ts"
import { wireAddress } from "../fields/readers.ts"

/** Only listed subaccounts are requested, so what a request was about is in one of the lists. */
const requestedSubaccount: Reference = {
  name: "subaccount_known",
  columns: ["subaccount_address"],
  to: ["core.subaccounts", "core.my_subaccounts", "core.vault_subaccounts"].map((table) => ({
    table,
    columns: ["subaccount_address"],
  })),
}

export const vaultAddress = text(
  "vault_address",
  "Vault address; EVM in lower case, Solana and Stellar unchanged",
  { required: true },
)

export const subaccountAddress = text(
  "subaccount_address",
  "Subaccount address; EVM in lower case, Solana and Stellar unchanged",
  { required: true, references: requestedSubaccount },
)

/** A vault's chain is read from its record, so that it is that of a vault. */
export const chainId = integer(
  "chain_id",
  "The platform's chain id of the vault, from its record",
  {
    references: {
      name: "chain_known",
      columns: ["chain_id", "vault_address"],
      to: [{ table: "core.vaults", columns: ["chain_id", "vault_address"] }],
    },
  },
)

/** The service has these facts by address: which vault the address stands for can change, and the facts do not (decision 0015). */
export const chainOfAddress = {
  ...chainId,
  comment:
    "The platform's chain id of the vault that the address stood for when these values were first read; the facts are those of the address. mart.vault_addresses has the vault that it stands for now",
  isIncidental: true,
} as const

export const vaultChainId = { ...chainId, required: true }

/** A column `<name>_wire` with the address as the service spells it; `<name>` has the canonical spelling, for joins. */
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

/** What services call the hash of an on-chain transaction. */
export const transactionHashNames = ["transaction_hash", "tx_hash", "hash"]

export const extra = json(
  "extra",
  "All fields without a column, with unchanged values; null if there are none",
)

/** The report time of a record, which in another column would make a new version with every response. */
const reportedAt = field.timestamp(
  "reported_at",
  "When the service read or computed this record, as of the row's first response; if the record has several such times, the first; the archived response has the others. A time of another name is content, unless the setting fields names it for this column",
  { names: reportTimeNames, isIncidental: true },
)

/** The report times of nested records. */
export const reportedTimes = json(
  "reported_times",
  "Such times in nested records by path, such as `oracle.checked_at`, as of the row's first response; the JSON of other columns omits them; null if there are none",
  { isIncidental: true },
)

/** The last columns of a slowly changing table, for the fields that no other column keeps. */
export const restOfRecord: ReadonlyArray<Column> = [reportedAt, reportedTimes, extra]
