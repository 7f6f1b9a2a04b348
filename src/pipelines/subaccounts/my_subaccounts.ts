// The subaccounts of the API key's user, with their history.
import { mySubaccounts as endpoint } from "../../extract/endpoints/subaccounts/my_subaccounts.ts"
import { mySubaccountRows } from "../../transform/tables/subaccounts/subaccountRecords.ts"
import { mySubaccounts } from "../../transform/tables/subaccounts/my_subaccounts.ts"
import { ask, snapshot } from "../walks/snapshot.ts"
import { once } from "../walks/targets.ts"

export const mySubaccountsPipeline = snapshot({
  name: "my_subaccounts",
  title: "My subaccounts",
  tables: [mySubaccounts],
  endpoint,
  after: [],
  targets: once,
  questions: () => ask<typeof endpoint.parameters>({}),
  rows: mySubaccountRows,
})
