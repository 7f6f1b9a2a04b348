// core.observation_warnings: what the service itself says about answers it could not complete.
import type { Table } from "../../../domain/table.ts"
import { chainId, vaultAddress } from "../shared.ts"

export const observationWarnings: Table = {
  schema: "core",
  name: "observation_warnings",
  mode: "slowly_changing",
  grain: "endpoint, vault, warning and version",
  comment:
    "Warnings the service sends beside transparency records: tokens without a price source, custody data or contract reads that failed. One ends when an answer comes without it.",
  source:
    "`warnings` of GET /platform/oracle_classification and /platform/governance/…/roles and /timelocks (§2.9, §4.1)",
  key: ["endpoint", "chain_id", "vault_address", "warning"],
  columns: [
    {
      name: "endpoint",
      type: "text",
      required: true,
      comment: "Endpoint whose answer carried the warning",
    },
    { ...chainId, required: true },
    vaultAddress,
    {
      name: "warning",
      type: "text",
      required: true,
      comment: "The warning as served; one that is no text is its JSON",
    },
  ],
  example:
    "select endpoint, vault_address, warning, valid_from from core.observation_warnings where is_current",
}
