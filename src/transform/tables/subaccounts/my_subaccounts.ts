// core.my_subaccounts: the subaccounts of the API key's user.
import type { Table } from "../../../domain/table/table.ts"
import { restOfRecord } from "../shared.ts"
import { listedSubaccount, listItemColumns } from "../subaccountColumns.ts"

export const mySubaccounts: Table = {
  schema: "core",
  name: "my_subaccounts",
  mode: "slowly_changing",
  grain: "subaccount of the API key and version of its description",
  comment:
    "Subaccounts of the API key's user with the history of their descriptions. A subaccount ends when the service no longer lists it, which may be because the key was changed.",
  source: "GET /subaccounts (§4.3, §2.1)",
  key: ["subaccount_address"],
  columns: [...listedSubaccount, ...listItemColumns, ...restOfRecord],
  example:
    "select friendly_name, status, min_health_factor from core.my_subaccounts where is_current order by friendly_name",
}
