// core.whitelist_status: whether a vault's subaccounts are whitelisted on chain, and since when.
import * as Result from "effect/Result"
import type { JsonObject } from "../../../domain/json.ts"
import type { Table } from "../../../domain/table.ts"
import type { VaultRef } from "../../../domain/vault.ts"
import type { Violation } from "../../../domain/violation.ts"
import { mapCurrent } from "../../mapCurrent.ts"
import { type MappedAnswer, type Source, together } from "../../Source.ts"
import { locateSubaccounts } from "../subaccounts/subaccountRecords.ts"
import {
  chainId,
  extra,
  reportedAt,
  reportedTimes,
  subaccountAddress,
  vaultAddress,
} from "../shared.ts"
import { subaccountAddressAsServed } from "../subaccountColumns.ts"

export const whitelistStatus: Table = {
  schema: "core",
  name: "whitelist_status",
  mode: "slowly_changing",
  grain: "vault, linked subaccount and version of its status",
  comment:
    "On-chain whitelist status of the subaccounts linked to a vault, with its history. EVM vaults only; needs the key of a curator of the vault, or an admin key.",
  source: "GET /curator/vaults/{vault_address}/whitelist (§4.4, §2.7)",
  key: ["vault_address", "subaccount_address"],
  columns: [
    vaultAddress,
    chainId,
    subaccountAddress,
    subaccountAddressAsServed,
    {
      name: "is_whitelisted",
      type: "boolean",
      required: true,
      fields: ["is_whitelisted"],
      comment: "Whether the subaccount is on the vault's whitelist on chain",
    },
    reportedAt,
    reportedTimes,
    extra,
  ],
  example:
    "select vault_address, subaccount_address, valid_from from core.whitelist_status where is_current and not is_whitelisted",
}

/** One row a linked subaccount: all there are of the vault. */
export const whitelistStatusRows = (
  records: ReadonlyArray<JsonObject>,
  { origin, subject }: Source<VaultRef>,
): Result.Result<MappedAnswer, Violation> =>
  Result.map(locateSubaccounts(records), ({ canonical, served, consumed }) => {
    const scope = { vault_address: subject.address }
    const { rows, drift } = mapCurrent({
      table: whitelistStatus,
      records,
      origin,
      computed: {
        ...scope,
        chain_id: subject.chainId,
        subaccount_address: canonical,
        subaccount_address_as_served: served,
      },
      consumed,
    })
    return together({ rows: { ...rows, scope }, drift })
  })
