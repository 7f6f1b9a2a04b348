// core.vault_operators: the operators of each vault.
import { field } from "../../../domain/table/column.ts"
import type { Table } from "../../../domain/table/table.ts"
import { address } from "../../fields/readers.ts"
import { wireSpelling } from "../shared.ts"
import { vaultListTable } from "../vaultListTable.ts"

const addressNames = ["address", "operator_address", "operator"]

export const vaultOperators: Table = vaultListTable({
  name: "vault_operators",
  lists: ["operators"],
  grain: "vault, operator and version",
  comment: "Operators of each vault. An operator ends when it is no longer listed.",
  entryId: "Address and type of the operator",
  columns: [
    field.text("operator_address", "Operator; EVM in lower case", {
      names: addressNames,
      read: address,
    }),
    wireSpelling("operator_address", addressNames),
    field.text("operator_type", "Type of the operator", {
      names: ["operator_type", "type", "role"],
    }),
  ],
  example:
    "select vault_address, operator_type, operator_address from core.vault_operators where is_current",
})
