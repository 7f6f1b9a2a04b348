// core.vault_operators: who may operate each vault.
import type { Table } from "../../../domain/table.ts"
import { chainId, extra, reportedAt, reportedTimes, vaultAddress } from "../shared.ts"

export const vaultOperators: Table = {
  schema: "core",
  name: "vault_operators",
  mode: "slowly_changing",
  grain: "vault, operator and version",
  comment: "Operators of each vault. One that is no longer listed has ended.",
  source: "GET /tokenized_vault/{vault_address} (§4.2, §2.10)",
  key: ["chain_id", "vault_address", "entry_id"],
  columns: [
    { ...chainId, required: true },
    vaultAddress,
    {
      name: "entry_id",
      type: "text",
      required: true,
      comment: "Address and type of the operator; `#2` and so on where repeated",
    },
    {
      name: "listed_as",
      type: "text",
      required: true,
      comment: "Field of the vault's record that lists it",
    },
    {
      name: "operator_address",
      type: "text",
      comment: "Operator; EVM in lower case",
    },
    {
      name: "operator_address_as_served",
      type: "text",
      fields: ["address", "operator_address", "operatorAddress", "operator"],
      comment: "The address as the service spells it",
    },
    {
      name: "operator_type",
      type: "text",
      fields: ["operator_type", "operatorType", "type", "role"],
      comment: "What the operator is",
    },
    reportedAt,
    reportedTimes,
    extra,
  ],
  example:
    "select vault_address, operator_type, operator_address from core.vault_operators where is_current",
}
