// The columns of a subaccount in every list. §2.1 describes them without their field names.
import { type Column, field } from "../../domain/table/column.ts"
import { address, id } from "../fields/readers.ts"
import { subaccountAddress, wireSpelling } from "./shared.ts"

const names = ["address", "subaccount_address", "subaccount"]

/** The subaccount of a record. */
export const listedSubaccount: ReadonlyArray<Column> = [
  field.text(subaccountAddress.name, subaccountAddress.comment, {
    names,
    read: address,
    required: true,
  }),
  wireSpelling(subaccountAddress.name, names, { required: true }),
]

/** The other columns of a list item. */
export const listItemColumns: ReadonlyArray<Column> = [
  field.text("subaccount_id", "The platform's id of the subaccount, `id` of the list item", {
    names: ["id"],
    read: id,
  }),
  field.text("internal_name", "Name the platform uses"),
  field.text("friendly_name", "Name shown to users"),
  field.text("status", "Status; active and inactive have been observed (§2.1)"),
  field.text("subaccount_type", "Type of the subaccount", { names: ["subaccount_type", "type"] }),
  field.json("chains", "Linked chains, as sent"),
  field.double(
    "min_health_factor",
    "Minimum health factor the platform requires of the subaccount",
    {
      names: ["min_health_factor", "risk_metadata.min_health_factor"],
      unit: "ratio",
    },
  ),
  field.double("estimated_apr", "Estimated APR, as sent", {
    names: ["estimated_apr", "estimatedAPR"],
  }),
  field.text("implementation", "Implementation of the smart-contract wallet"),
]
