// Position snapshots (§4.1): the newest hour of each EVM vault.
import { positions } from "../../extract/endpoints/transparency/positions.ts"
import {
  positionRows,
  positionSnapshots,
} from "../../transform/tables/transparency/position_snapshots.ts"
import { positionSubaccounts } from "../../transform/tables/transparency/position_subaccounts.ts"
import { ask, snapshot } from "../walks/snapshot.ts"
import { evmVaultsByChain } from "../walks/targets.ts"

export const positionsPipeline = snapshot({
  name: "positions",
  title: "Positions",
  tables: [positionSnapshots, positionSubaccounts],
  endpoint: positions,
  targets: evmVaultsByChain,
  questions: ({ served, chainId }) => ask({ vault_address: served, chainId }),
  rows: positionRows,
})
