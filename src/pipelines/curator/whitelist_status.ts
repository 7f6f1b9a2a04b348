// The on-chain whitelist of each EVM vault the key's user curates.
import { whitelistStatus as endpoint } from "../../extract/endpoints/curator/whitelist_status.ts"
import {
  whitelistStatus,
  whitelistStatusRows,
} from "../../transform/tables/curator/whitelist_status.ts"
import { ask, snapshot } from "../walks/snapshot.ts"
import { evmVaults } from "../walks/targets.ts"

export const whitelistStatusPipeline = snapshot({
  name: "whitelist_status",
  title: "Whitelists of vaults",
  tables: [whitelistStatus],
  endpoint,
  after: ["vaults", "my_subaccounts"],
  targets: evmVaults,
  questions: ({ served }) => ask<typeof endpoint.parameters>({ vault_address: served }),
  rows: whitelistStatusRows,
})
