// Raw timelock requests of each EVM vault in every status.
import * as Result from "effect/Result"
import { timelockRequests as timelockRequestsEndpoint } from "../../extract/endpoints/governance/timelock_requests.ts"
import { together } from "../../transform/Source.ts"
import { timelockRequests } from "../../transform/tables/governance/timelock_requests.ts"
import { timelockRows } from "../../transform/tables/governance/timelockRecords.ts"
import { ask, snapshot } from "../walks/snapshot.ts"
import { evmVaultsByChain } from "../walks/targets.ts"

export const timelockRequestsPipeline = snapshot({
  name: "timelock_requests",
  title: "Timelock requests",
  tables: [timelockRequests],
  endpoint: timelockRequestsEndpoint,
  targets: evmVaultsByChain,
  questions: ({ served, chainId }) => ask({ vaultAddress: served, chainId, status: "all" }),
  rows: (records, source) =>
    Result.succeed(together(timelockRows(timelockRequests, records, source))),
})
