// Pending withdrawals (§4.2): one question a vault and chain.
import { withdrawals } from "../../extract/endpoints/vaults/withdrawals.ts"
import { withdrawalRequests } from "../../transform/tables/vaults/withdrawal_requests.ts"
import { withdrawalSummaries } from "../../transform/tables/vaults/withdrawal_summaries.ts"
import { withdrawalRows } from "../../transform/tables/vaults/withdrawalRecords.ts"
import { ask, snapshot } from "../walks/snapshot.ts"
import { vaultsByChain } from "../walks/targets.ts"

export const withdrawalsPipeline = snapshot({
  name: "withdrawals",
  title: "Withdrawals",
  tables: [withdrawalSummaries, withdrawalRequests],
  endpoint: withdrawals,
  targets: vaultsByChain,
  questions: ({ served, chainId }) => ask({ chain: chainId, vault_address: served }),
  rows: withdrawalRows,
})
