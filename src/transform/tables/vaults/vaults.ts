// core.vaults: the description of each vault, with its history.
import { field, type Reader } from "../../../domain/table/column.ts"
import type { Table } from "../../../domain/table/table.ts"
import { address, chain } from "../../fields/readers.ts"
import { chainId, restOfRecord, vaultAddress, wireSpelling } from "../shared.ts"
import { vaultDescription } from "../vaultDescription.ts"

const addressNames = ["address", "vault_address", "contract_address"]

const lowerCase: Reader = (value) =>
  typeof value === "string" ? { value: value.toLowerCase(), isWhole: true } : undefined

export const vaults: Table = {
  schema: "core",
  name: "vaults",
  mode: "slowly_changing",
  grain: "vault and version of its description",
  comment:
    "Tokenized vaults with the history of their descriptions. A vault ends when it is no longer in any list. Changing figures are in core.vault_reported_metrics.",
  source: "GET /tokenized_vault (§4.2, §2.10)",
  key: ["chain_id", "vault_address"],
  columns: [
    field.integer(chainId.name, chainId.comment, {
      names: ["chain", "chain_id"],
      read: chain,
      required: true,
    }),
    field.text(vaultAddress.name, vaultAddress.comment, {
      names: addressNames,
      read: address,
      required: true,
    }),
    wireSpelling(vaultAddress.name, addressNames, { required: true }),
    field.text(
      "chain_type",
      "`evm`, `solana` or `stellar`, by the form of the address; `other`: no endpoint takes it",
      {
        accepted: ["evm", "solana", "stellar", "other"],
        read: lowerCase,
        required: true,
      },
    ),
    ...vaultDescription,
    ...restOfRecord,
  ],
  example:
    "select vault_name, status, valid_from from core.vaults where is_current order by vault_name",
}
