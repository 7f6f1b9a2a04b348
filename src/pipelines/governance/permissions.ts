// What each EVM vault is permitted to call.
import * as Result from "effect/Result"
import { permissions as permissionsEndpoint } from "../../extract/endpoints/governance/permissions.ts"
import { permissions, permissionsRows } from "../../transform/tables/governance/permissions.ts"
import { ask, snapshot } from "../walks/snapshot.ts"
import { evmVaultsByChain } from "../walks/targets.ts"

export const permissionsPipeline = snapshot({
  name: "permissions",
  title: "Governance permissions",
  tables: [permissions],
  endpoint: permissionsEndpoint,
  targets: evmVaultsByChain,
  questions: ({ served, chainId }) => ask({ vault_address: served, chainId }),
  rows: (answer, source) => Result.succeed(permissionsRows(answer, source)),
})
