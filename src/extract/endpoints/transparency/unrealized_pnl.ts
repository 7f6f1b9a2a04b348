// Unrealized PnL snapshots of a vault, newest first, without a cursor.
import { endpoint } from "../../Endpoint.ts"
import { address, integer, optional } from "../../Parameter.ts"
import { AnyRecords } from "../records.ts"

export const unrealizedPnl = endpoint({
  name: "unrealized_pnl",
  title: "PnL history",
  section: "§4.1, §2.8",
  method: "GET",
  path: "/platform/unrealized_pnl",
  auth: "public",
  parameters: { vault: address(), limit: optional(integer({ min: 1, max: 1000 })) },
  // §7: the dashboard does not know the vault.
  absences: { 404: "empty" },
  response: AnyRecords,
})
