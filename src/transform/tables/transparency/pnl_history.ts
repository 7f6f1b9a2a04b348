// core.pnl_history: unrealized PnL snapshots of every vault.
import { documented, field } from "../../../domain/table/column.ts"
import * as Result from "effect/Result"
import type { JsonObject } from "../../../domain/values/json.ts"
import type { Table } from "../../../domain/table/table.ts"
import type { VaultRef } from "../../../domain/subject/vault.ts"
import type { Violation } from "../../../domain/wire/violation.ts"
import { mapRecords } from "../../mapRecords.ts"
import { combined, type MappedResponse, type Source } from "../../Source.ts"
import { timeFieldOf } from "../../fields/timeField.ts"
import { chainOfAddress, extra, vaultAddress } from "../shared.ts"

export const pnlHistory: Table = {
  schema: "core",
  name: "pnl_history",
  mode: "history",
  grain: "vault and snapshot",
  comment: "Unrealized profit and loss, one row per snapshot of the service.",
  source: "GET /platform/unrealized_pnl (§4.1, §2.8)",
  key: ["vault_address", "snapshot_at"],
  time: "snapshot_at",
  columns: [
    vaultAddress,
    chainOfAddress,
    field.timestamp("snapshot_at", "Instant of the snapshot", { names: [], required: true }),
    documented.double("unrealized_pnl", "Unrealized profit and loss", {
      names: ["unrealizedPnl", "unrealized_pnl"],
      unit: "USD",
    }),
    documented.double(
      "unrealized_pnl_in_asset",
      "Unrealized profit and loss in the vault's asset",
      {
        names: ["unrealizedPnlInAsset", "unrealized_pnl_in_asset"],
        unit: "the vault's underlying asset",
      },
    ),
    extra,
  ],
  example:
    "select vault_address, max(snapshot_at) as newest, arg_max(unrealized_pnl, snapshot_at) as unrealized_pnl from core.pnl_history group by vault_address",
}

/** One row for each snapshot. Fails if no snapshot has a time under a known name. */
export const pnlHistoryRows = (
  snapshots: ReadonlyArray<JsonObject>,
  source: Source<VaultRef>,
): Result.Result<MappedResponse, Violation> =>
  Result.flatMap(timeFieldOf(pnlHistory, snapshots, source), (fields) =>
    combined(
      mapRecords({
        table: pnlHistory,
        records: snapshots,
        source,
        fields,
        computed: {
          vault_address: source.subject.address,
          chain_id: source.subject.chainId,
        },
      }),
    ),
  )
