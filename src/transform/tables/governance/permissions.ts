// core.permissions: the functions of integrations that an EVM vault may call, with history.
import type * as Result from "effect/Result"
import { documented, integer, text } from "../../../domain/table/column.ts"
import type { JsonObject } from "../../../domain/values/json.ts"
import type { Table } from "../../../domain/table/table.ts"
import type { VaultRef } from "../../../domain/subject/vault.ts"
import type { Violation } from "../../../domain/wire/violation.ts"
import { mapRecords } from "../../mapRecords.ts"
import { contentOf, reportTimesOf } from "../../fields/reportTimes.ts"
import { keysInOrder, occurrences } from "../../occurrences.ts"
import { combined, type MappedResponse, type Source } from "../../Source.ts"
import { envelopeRows } from "../response_envelopes.ts"
import { restOfRecord, vaultAddress, vaultChainId } from "../shared.ts"

export const permissions: Table = {
  schema: "core",
  name: "permissions",
  mode: "slowly_changing",
  grain: "vault, integration, function and version",
  comment: "Functions of integrations that an EVM vault is permitted to call.",
  source: "GET /platform/governance/{vault_address}/permissions (§4.1, §2.9)",
  key: ["chain_id", "vault_address", "integration", "function_name", "occurrence"],
  columns: [
    vaultChainId,
    vaultAddress,
    documented.text("integration", "Integration, for example a protocol", { required: true }),
    text(
      "function_name",
      "Permitted function, one of `functions`; `-` for an integration that lists none",
      { required: true },
    ),
    integer(
      "occurrence",
      "1 for the first permission of this integration and function, in the order of their content, 2 for the next, …",
      { required: true },
    ),
    ...restOfRecord,
  ],
  example:
    "select integration, list(function_name) as functions from core.permissions where is_current group by integration",
}

/** One row for each integration and function. The response is the whole set of the vault. */
export const permissionsRows = (
  body: JsonObject & { readonly permissions: ReadonlyArray<JsonObject> },
  source: Source<VaultRef>,
): Result.Result<MappedResponse, Violation> => {
  const mergeKey = { chain_id: source.subject.chainId, vault_address: source.subject.address }
  const granted = body.permissions.flatMap((record, place) =>
    functionsOf(record).map((name) => ({ record, place, name })),
  )
  const identities = granted.map(({ record, name }) =>
    JSON.stringify([record["integration"], name]),
  )
  const reportTimes = reportTimesOf(permissions, source)
  // A function that comes or goes must not renumber the others of its permission.
  const contents = granted.map(({ record }) =>
    contentOf({ ...record, functions: null }, reportTimes),
  )
  return combined(
    mapRecords({
      table: permissions,
      records: granted.map(({ record }) => record),
      source,
      computed: {
        ...mergeKey,
        function_name: granted.map(({ name }) => name),
        occurrence: keysInOrder(identities, contents, occurrences),
      },
      consumed: ["functions"],
      mergeKey,
      at: (row) => `$.permissions[${granted[row]?.place}]`,
    }),
    envelopeRows("permissions", body, ["permissions"], source),
  )
}

/** The functions of a permission; null, so that the record is rejected, if they are not a list of names. */
const functionsOf = ({ functions }: JsonObject): ReadonlyArray<string | null> => {
  if (!Array.isArray(functions)) return [null]
  const names = functions.map((name) => (typeof name === "string" ? name : null))
  // A function listed twice in one permission is one row.
  return names.length === 0 ? ["-"] : [...new Set(names)]
}
