// core.timelock_requests: timelock requests of EVM vaults as scheduled, without live contract reads.
import type { Table } from "../../../domain/table/table.ts"
import { timelockColumns } from "./timelockRecords.ts"

export const timelockRequests: Table = {
  schema: "core",
  name: "timelock_requests",
  mode: "slowly_changing",
  grain: "vault, timelock request and version",
  comment:
    "Raw timelock requests in every status. The document shows none of their fields; extra has the fields without a column. executable_at of the same timelock_id in core.timelocks comes from a live contract read.",
  source: "GET /timelock-requests with status=all (§4.4, §2.9, §3)",
  key: ["chain_id", "vault_address", "timelock_id"],
  columns: timelockColumns(),
  example:
    "select status, count(*) as requests from core.timelock_requests where is_current group by status",
}
