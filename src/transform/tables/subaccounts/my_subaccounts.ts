// core.my_subaccounts: the subaccounts the API key is a user of.
import type { Table } from "../../../domain/table.ts"
import { extra, reportedAt, reportedTimes, subaccountAddress } from "../shared.ts"
import { listItemColumns, subaccountAddressAsServed } from "../subaccountColumns.ts"

export const mySubaccounts: Table = {
  schema: "core",
  name: "my_subaccounts",
  mode: "slowly_changing",
  grain: "subaccount of the API key and version of its description",
  comment:
    "Subaccounts of the caller with the history of their descriptions; those no longer the caller's have ended, and so have those of another key that read into this warehouse before.",
  source: "GET /subaccounts (§4.3, §2.1)",
  key: ["subaccount_address"],
  columns: [
    subaccountAddress,
    subaccountAddressAsServed,
    ...listItemColumns,
    reportedAt,
    reportedTimes,
    extra,
  ],
  example:
    "select friendly_name, status, min_health_factor from core.my_subaccounts where is_current order by friendly_name",
}
