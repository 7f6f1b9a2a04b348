// core.whitelist_status: whether a vault's subaccounts are whitelisted on chain, with history.
import { documented } from "../../../domain/table/column.ts"
import type * as Result from "effect/Result"
import type { JsonObject } from "../../../domain/values/json.ts"
import type { Table } from "../../../domain/table/table.ts"
import type { VaultRef } from "../../../domain/subject/vault.ts"
import type { Violation } from "../../../domain/wire/violation.ts"
import { mapRecords } from "../../mapRecords.ts"
import { combined, type MappedResponse, type Source } from "../../Source.ts"
import { chainId, restOfRecord, vaultAddress } from "../shared.ts"
import { listedSubaccount } from "../subaccountColumns.ts"

export const whitelistStatus: Table = {
  schema: "core",
  name: "whitelist_status",
  mode: "slowly_changing",
  grain: "vault, linked subaccount and version of its status",
  comment:
    "On-chain whitelist status of the subaccounts linked to a vault, with its history. EVM vaults only; needs a key of the vault's curator or an admin key.",
  source: "GET /curator/vaults/{vault_address}/whitelist (§4.4, §2.7)",
  key: ["vault_address", "subaccount_address"],
  columns: [
    vaultAddress,
    chainId,
    ...listedSubaccount,
    documented.boolean(
      "is_whitelisted",
      "Whether the subaccount is on the vault's whitelist on chain",
      {
        required: true,
      },
    ),
    ...restOfRecord,
  ],
  example:
    "select vault_address, subaccount_address, valid_from from core.whitelist_status where is_current and not is_whitelisted",
}

/** One row for each linked subaccount. The response is the whole set of the vault. */
export const whitelistStatusRows = (
  records: ReadonlyArray<JsonObject>,
  source: Source<VaultRef>,
): Result.Result<MappedResponse, Violation> => {
  const mergeKey = { vault_address: source.subject.address }
  const computed = { ...mergeKey, chain_id: source.subject.chainId }
  return combined(mapRecords({ table: whitelistStatus, records, source, computed, mergeKey }))
}
