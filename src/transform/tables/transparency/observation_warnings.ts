// core.observation_warnings: the service's warnings about incomplete responses.
import { text } from "../../../domain/table/column.ts"
import type { Table } from "../../../domain/table/table.ts"
import { vaultChainId, vaultAddress } from "../shared.ts"

export const observationWarnings: Table = {
  schema: "core",
  name: "observation_warnings",
  mode: "slowly_changing",
  grain: "endpoint, vault, warning and version",
  comment:
    "Warnings that the service sends with transparency records, about tokens that could not be resolved, or custody data and contracts that could not be read. A warning ends with the first response without it.",
  source:
    "`warnings` of GET /platform/oracle_classification and /platform/governance/…/roles and /timelocks (§2.9, §4.1)",
  key: ["endpoint", "chain_id", "vault_address", "warning"],
  columns: [
    text("endpoint", "Endpoint whose response has the warning", { required: true }),
    vaultChainId,
    vaultAddress,
    text("warning", "The warning; its JSON if it is not text", { required: true }),
  ],
  example:
    "select endpoint, vault_address, warning, valid_from from core.observation_warnings where is_current",
}
