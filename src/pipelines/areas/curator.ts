// What a curator's key shows of the vaults its user curates.
import { vaultSubaccounts as vaultSubaccountsEndpoint } from "../../extract/endpoints/curator/vault_subaccounts.ts"
import { whitelistStatus as whitelistEndpoint } from "../../extract/endpoints/curator/whitelist_status.ts"
import { vaultSubaccounts } from "../../transform/tables/curator/vault_subaccounts.ts"
import {
  whitelistStatus,
  whitelistStatusRows,
} from "../../transform/tables/curator/whitelist_status.ts"
import { vaultSubaccountRows } from "../../transform/tables/subaccounts/subaccountRecords.ts"
import type { AnyPipeline } from "../model/Pipeline.ts"
import { evmVaults, vaults } from "../strategies/partitions.ts"
import { single, snapshot } from "../strategies/snapshot.ts"

// After my_subaccounts: a key that opens its own subaccounts is known to be good, so that a refusal here is about
// the vault and not the key.
const after = ["vaults", "my_subaccounts"]

export const curator: ReadonlyArray<AnyPipeline> = [
  snapshot({
    name: "vault_subaccounts",
    title: "Subaccounts of vaults",
    cadence: "daily",
    tables: [vaultSubaccounts],
    endpoint: vaultSubaccountsEndpoint,
    after,
    partitions: vaults,
    requests: ({ wireAddress }) =>
      single<typeof vaultSubaccountsEndpoint.parameters>({ vault_address: wireAddress }),
    rows: vaultSubaccountRows,
  }),
  snapshot({
    name: "whitelist_status",
    title: "Whitelists of vaults",
    cadence: "daily",
    tables: [whitelistStatus],
    endpoint: whitelistEndpoint,
    after,
    partitions: evmVaults,
    requests: ({ wireAddress }) =>
      single<typeof whitelistEndpoint.parameters>({ vault_address: wireAddress }),
    rows: whitelistStatusRows,
  }),
]
