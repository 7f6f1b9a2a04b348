// Who governs each EVM vault.
import * as Result from "effect/Result"
import { roles as rolesEndpoint } from "../../extract/endpoints/governance/roles.ts"
import { roles, rolesRows } from "../../transform/tables/governance/roles.ts"
import { observationWarnings } from "../../transform/tables/transparency/observation_warnings.ts"
import { ask, snapshot } from "../walks/snapshot.ts"
import { evmVaultsByChain } from "../walks/targets.ts"

export const rolesPipeline = snapshot({
  name: "roles",
  title: "Governance roles",
  tables: [roles, observationWarnings],
  endpoint: rolesEndpoint,
  targets: evmVaultsByChain,
  questions: ({ served, chainId }) => ask({ vault_address: served, chainId }),
  rows: (answer, source) => Result.succeed(rolesRows(answer, source)),
})
