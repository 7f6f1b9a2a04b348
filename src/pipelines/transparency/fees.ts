// Fees (§4.1): one question an EVM vault.
import { fees as endpoint } from "../../extract/endpoints/transparency/fees.ts"
import { fees, feesRows } from "../../transform/tables/transparency/fees.ts"
import { ask, snapshot } from "../walks/snapshot.ts"
import { evmVaultsByChain } from "../walks/targets.ts"

export const feesPipeline = snapshot({
  name: "fees",
  title: "Fees",
  tables: [fees],
  endpoint,
  targets: evmVaultsByChain,
  questions: ({ served, chainId }) => ask({ vault_address: served, chainId }),
  rows: feesRows,
})
