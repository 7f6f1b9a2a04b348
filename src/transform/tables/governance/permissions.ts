// core.permissions: which functions of which integrations an EVM vault may call, and since when.
import type { JsonObject } from "../../../domain/json.ts"
import type { Table } from "../../../domain/table.ts"
import type { VaultRef } from "../../../domain/vault.ts"
import { mapCurrent } from "../../mapCurrent.ts"
import { occurrences } from "../../occurrences.ts"
import { type MappedAnswer, type Source, together } from "../../Source.ts"
import { chainId, extra, reportedAt, reportedTimes, vaultAddress } from "../shared.ts"

export const permissions: Table = {
  schema: "core",
  name: "permissions",
  mode: "slowly_changing",
  grain: "vault, integration, function and version",
  comment: "Functions of integrations an EVM vault is permitted to call.",
  source: "GET /platform/governance/{vault_address}/permissions (§4.1, §2.9)",
  key: ["chain_id", "vault_address", "integration", "function_name", "occurrence"],
  columns: [
    { ...chainId, required: true },
    vaultAddress,
    {
      name: "integration",
      type: "text",
      required: true,
      fields: ["integration"],
      comment: "Integration, for example a protocol",
    },
    {
      name: "function_name",
      type: "text",
      required: true,
      comment: "Function permitted, one of `functions`; `-` for an integration that lists none",
    },
    {
      name: "occurrence",
      type: "integer",
      required: true,
      comment: "1 for the first permission of this integration and function, 2 for the next, …",
    },
    reportedAt,
    reportedTimes,
    extra,
  ],
  example:
    "select integration, list(function_name) as functions from core.permissions where is_current group by integration",
}

interface Permission extends JsonObject {
  readonly integration: string
  readonly functions: ReadonlyArray<string>
}

/** One row for each integration and function; those of a vault that no longer come have ended. */
export const permissionsRows = (
  answer: { readonly permissions: ReadonlyArray<Permission> },
  source: Source<VaultRef>,
): MappedAnswer => {
  const { address, chainId: chain } = source.subject
  const granted = answer.permissions.flatMap((record) => {
    // A function listed twice in one permission is permitted once.
    const functions = record.functions.length === 0 ? ["-"] : [...new Set(record.functions)]
    return functions.map((name) => ({ record, name }))
  })
  const mapped = mapCurrent({
    table: permissions,
    records: granted.map(({ record }) => record),
    origin: source.origin,
    computed: {
      chain_id: chain,
      vault_address: address,
      function_name: granted.map(({ name }) => name),
      occurrence: occurrences(
        granted.map(({ record, name }) => JSON.stringify([record.integration, name])),
      ),
    },
    consumed: ["functions"],
  })
  const scope = { chain_id: chain, vault_address: address }
  return together({ ...mapped, rows: { ...mapped.rows, scope } })
}
