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

export const curator: ReadonlyArray<AnyPipeline> = [
  snapshot({
    name: "vault_subaccounts",
    title: "Subaccounts of vaults",
    cadence: "daily",
    tables: [vaultSubaccounts],
    endpoint: vaultSubaccountsEndpoint,
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
    partitions: evmVaults,
    requests: ({ wireAddress }) =>
      single<typeof whitelistEndpoint.parameters>({ vault_address: wireAddress }),
    rows: whitelistStatusRows,
  }),
]
