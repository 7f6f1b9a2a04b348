// core.vault_operators: who may operate each vault.
import type { Table } from "../../../domain/table.ts"
import { vaultListTable } from "../vaultListTable.ts"

export const vaultOperators: Table = vaultListTable({
  name: "vault_operators",
  grain: "vault, operator and version",
  comment: "Operators of each vault. One that is no longer listed has ended.",
  entryId: "Address and type of the operator",
  columns: [
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
  ],
  example:
    "select vault_address, operator_type, operator_address from core.vault_operators where is_current",
})
