// Hourly backing, supply and collateral ratio of a vault, newest first.
import { endpoint } from "../../Endpoint.ts"
import { address, day, integer, optional } from "../../Parameter.ts"
import { AnyRecords } from "../records.ts"

export const unrealizedPnlRatio = endpoint({
  name: "unrealized_pnl_ratio",
  title: "Ratio history",
  section: "§4.1, §2.9",
  method: "GET",
  path: "/platform/unrealized_pnl",
  auth: "public",
  parameters: {
    vault: address(),
    startDate: optional(day),
    endDate: optional(day),
    limit: optional(integer({ min: 1, max: 1000 })),
  },
  fixedQuery: { fields: "ratio" },
  // §7: the dashboard does not know the vault.
  absences: { 404: "empty" },
  response: AnyRecords,
})
