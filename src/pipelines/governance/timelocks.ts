// Timelocks of each EVM vault in every status, so that one that was executed or cancelled is seen to be.
import { timelocks as timelocksEndpoint } from "../../extract/endpoints/governance/timelocks.ts"
import { timelocks, timelocksRows } from "../../transform/tables/governance/timelocks.ts"
import { observationWarnings } from "../../transform/tables/transparency/observation_warnings.ts"
import { ask, snapshot } from "../walks/snapshot.ts"
import { evmVaultsByChain } from "../walks/targets.ts"

export const timelocksPipeline = snapshot({
  name: "timelocks",
  title: "Timelocks",
  tables: [timelocks, observationWarnings],
  endpoint: timelocksEndpoint,
  targets: evmVaultsByChain,
  questions: ({ served, chainId }) => ask({ vault_address: served, chainId, status: "all" }),
  rows: timelocksRows,
})
