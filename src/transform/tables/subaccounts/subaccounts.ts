// core.subaccounts: every subaccount of the platform, as the directory describes it.
import type { Table } from "../../../domain/table/table.ts"
import { restOfRecord } from "../shared.ts"
import { listedSubaccount, listItemColumns } from "../subaccountColumns.ts"

export const subaccounts: Table = {
  schema: "core",
  name: "subaccounts",
  mode: "slowly_changing",
  grain: "subaccount and version of its description",
  comment:
    "The directory of subaccounts with the history of their descriptions; a subaccount ends when it leaves the directory. Needs an admin key.",
  source: "GET /subaccount (§4.3, §2.1)",
  key: ["subaccount_address"],
  columns: [...listedSubaccount, ...listItemColumns, ...restOfRecord],
  example:
    "select friendly_name, status, valid_from from core.subaccounts where is_current order by friendly_name",
}
