// Columns of a subaccount wherever the service lists one (§2.1 names their meaning, not their fields).
import type { Column } from "../../domain/table.ts"

export const subaccountAddressAsServed: Column = {
  name: "subaccount_address_as_served",
  type: "text",
  required: true,
  comment: "The address as the service spells it",
}

/** What a list item says of a subaccount beside its address. */
export const listItemColumns: ReadonlyArray<Column> = [
  {
    name: "subaccount_id",
    type: "text",
    fields: ["id"],
    comment: "The platform's id of the subaccount, `id` of the list item",
  },
  {
    name: "internal_name",
    type: "text",
    fields: ["internal_name", "internalName"],
    comment: "Name the platform uses",
  },
  {
    name: "friendly_name",
    type: "text",
    fields: ["friendly_name", "friendlyName"],
    comment: "Name shown to users",
  },
  {
    name: "status",
    type: "text",
    fields: ["status"],
    comment: "Status as served; active and inactive have been seen (§2.1)",
  },
  {
    name: "subaccount_type",
    type: "text",
    fields: ["subaccount_type", "subaccountType", "type"],
    comment: "Type of the subaccount, as served",
  },
  {
    name: "chains",
    type: "json",
    fields: ["chains"],
    comment: "Linked chains, as served",
  },
  {
    name: "min_health_factor",
    type: "double",
    fields: ["min_health_factor", "minHealthFactor"],
    unit: "ratio",
    comment: "Least health factor the platform asks of the subaccount",
  },
  {
    name: "estimated_apr",
    type: "double",
    fields: ["estimated_apr", "estimatedApr", "estimatedAPR"],
    comment: "Estimated APR, as served",
  },
  {
    name: "implementation",
    type: "text",
    fields: ["implementation"],
    comment: "Implementation of the smart-contract wallet, as served",
  },
]
