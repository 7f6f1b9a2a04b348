// Governance of EVM vaults (§4.1): its present state, and the audit log.
import type { VaultRef } from "../../domain/subject/vault.ts"
import { permissions as permissionsEndpoint } from "../../extract/endpoints/governance/permissions.ts"
import { roles as rolesEndpoint } from "../../extract/endpoints/governance/roles.ts"
import { timelockRequests as timelockRequestsEndpoint } from "../../extract/endpoints/governance/timelock_requests.ts"
import { timelocks as timelocksEndpoint } from "../../extract/endpoints/governance/timelocks.ts"
import { combined } from "../../transform/Source.ts"
import { permissions, permissionsRows } from "../../transform/tables/governance/permissions.ts"
import { responseEnvelopes } from "../../transform/tables/response_envelopes.ts"
import { roles, rolesRows } from "../../transform/tables/governance/roles.ts"
import { timelockRequests } from "../../transform/tables/governance/timelock_requests.ts"
import { timelockRows } from "../../transform/tables/governance/timelockRecords.ts"
import { timelocks, timelocksRows } from "../../transform/tables/governance/timelocks.ts"
import { observationWarnings } from "../../transform/tables/transparency/observation_warnings.ts"
import type { AnyPipeline } from "../model/Pipeline.ts"
import { evmVaultsByChain } from "../strategies/partitions.ts"
import { single, snapshot } from "../strategies/snapshot.ts"
import { auditLogPipeline } from "./governance/audit_log.ts"

const ofVault = ({ wireAddress, chainId }: VaultRef) => ({ vault_address: wireAddress, chainId })

export const governance: ReadonlyArray<AnyPipeline> = [
  snapshot({
    name: "roles",
    title: "Governance roles",
    cadence: "daily",
    tables: [roles, observationWarnings, responseEnvelopes],
    endpoint: rolesEndpoint,
    partitions: evmVaultsByChain,
    requests: (vault) => single(ofVault(vault)),
    rows: rolesRows,
  }),
  snapshot({
    name: "permissions",
    title: "Governance permissions",
    cadence: "daily",
    tables: [permissions, responseEnvelopes],
    endpoint: permissionsEndpoint,
    partitions: evmVaultsByChain,
    requests: (vault) => single(ofVault(vault)),
    rows: permissionsRows,
  }),
  // In every status, so that executed and cancelled timelocks are recorded as such.
  snapshot({
    name: "timelocks",
    title: "Timelocks",
    cadence: "hourly",
    tables: [timelocks, observationWarnings, responseEnvelopes],
    endpoint: timelocksEndpoint,
    partitions: evmVaultsByChain,
    requests: (vault) => single({ ...ofVault(vault), status: "all" }),
    rows: timelocksRows,
  }),
  snapshot({
    name: "timelock_requests",
    title: "Timelock requests",
    cadence: "hourly",
    tables: [timelockRequests],
    endpoint: timelockRequestsEndpoint,
    partitions: evmVaultsByChain,
    requests: ({ wireAddress, chainId }) =>
      single({ vaultAddress: wireAddress, chainId, status: "all" }),
    rows: (records, source) => combined(timelockRows(timelockRequests, records, source)),
  }),
  auditLogPipeline,
]
