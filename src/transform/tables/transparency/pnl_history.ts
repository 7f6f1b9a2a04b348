// core.pnl_history: unrealized PnL snapshots of every vault.
import * as Result from "effect/Result"
import type { JsonObject } from "../../../domain/json.ts"
import type { Table } from "../../../domain/table.ts"
import type { VaultRef } from "../../../domain/vault.ts"
import type { Violation } from "../../../domain/violation.ts"
import { mapRecords } from "../../mapRecords.ts"
import { type MappedAnswer, type Source, together } from "../../Source.ts"
import { resolveTimes } from "../../fields/timeField.ts"
import { chainId, extra, vaultAddress } from "../shared.ts"

export const pnlHistory: Table = {
  schema: "core",
  name: "pnl_history",
  mode: "history",
  grain: "vault and snapshot",
  comment: "Unrealized profit and loss, one row per snapshot the service kept.",
  source: "GET /platform/unrealized_pnl (§4.1, §2.8)",
  key: ["vault_address", "snapshot_at"],
  time: "snapshot_at",
  columns: [
    vaultAddress,
    chainId,
    {
      name: "snapshot_at",
      type: "timestamp",
      unit: "UTC",
      required: true,
      comment: "Instant of the snapshot",
    },
    {
      name: "unrealized_pnl",
      type: "double",
      fields: ["unrealizedPnl"],
      unit: "USD",
      comment: "Unrealized profit and loss",
    },
    {
      name: "unrealized_pnl_in_asset",
      type: "double",
      fields: ["unrealizedPnlInAsset"],
      unit: "the vault's underlying asset",
      comment: "Unrealized profit and loss in the vault's asset",
    },
    extra,
  ],
  example:
    "select vault_address, max(snapshot_at) as newest, arg_max(unrealized_pnl, snapshot_at) as unrealized_pnl from core.pnl_history group by vault_address",
}

/** One row a snapshot. Fails when the snapshots carry no time under a known name. */
export const pnlHistoryRows = (
  snapshots: ReadonlyArray<JsonObject>,
  source: Source<VaultRef>,
): Result.Result<MappedAnswer, Violation> =>
  Result.map(resolveTimes(snapshots, source.timeFields), ({ field, micros }) =>
    together(
      mapRecords({
        table: pnlHistory,
        records: snapshots,
        origin: source.origin,
        computed: {
          vault_address: source.subject.address,
          chain_id: source.subject.chainId,
          snapshot_at: micros,
        },
        consumed: [field],
      }),
    ),
  )
