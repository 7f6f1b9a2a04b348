// core.vault_strategies: the strategists and subaccounts of each vault.
import { field, type Reader } from "../../../domain/table/column.ts"
import type { Table } from "../../../domain/table/table.ts"
import { address, id } from "../../fields/readers.ts"
import { wireSpelling } from "../shared.ts"
import { vaultListTable } from "../vaultListTable.ts"

const addressNames = ["address", "subaccount_address"]

/** The reading is not whole, so that the column `strategist` keeps the field. */
const name: Reader = (value) =>
  typeof value === "string" && value !== "" ? { value, isWhole: false } : undefined

export const vaultStrategies: Table = vaultListTable({
  name: "vault_strategies",
  lists: ["subaccounts", "associated_subaccounts", "strategists", "hardcoded_strategists"],
  grain: "vault, subaccount or strategist, and version",
  comment:
    "Subaccounts of each vault with their strategists, and strategists without a subaccount. An entry ends when the vault no longer lists it.",
  entryId: "List and address of the subaccount, else of the strategist",
  columns: [
    field.text(
      "subaccount_address",
      "Subaccount; EVM in lower case. Null for a strategist without one",
      { names: addressNames, read: address },
    ),
    wireSpelling("subaccount_address", addressNames),
    field.text(
      "strategist_id",
      "The platform's id of the strategist, else the strategist's address",
      {
        names: ["strategist.id", "strategist.strategist_id", "strategist.address"],
        read: id,
      },
    ),
    field.text("strategist_name", "Name of the strategist", {
      names: ["strategist.strategist_name", "strategist.name", "strategist"],
      read: name,
    }),
    field.json("strategist", "The strategist, as sent"),
  ],
  example:
    "select vault_address, subaccount_address, strategist_name from core.vault_strategies where is_current",
})
