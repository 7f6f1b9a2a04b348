// core.ratio_history: hourly backing, supply and collateral ratio of every vault.
import * as Result from "effect/Result"
import type { JsonObject } from "../../../domain/json.ts"
import type { Table } from "../../../domain/table.ts"
import type { VaultRef } from "../../../domain/vault.ts"
import type { Violation } from "../../../domain/violation.ts"
import { mapRecords } from "../../mapRecords.ts"
import { type MappedAnswer, type Source, together } from "../../Source.ts"
import { resolveTimes } from "../../fields/timeField.ts"
import { chainId, extra, vaultAddress } from "../shared.ts"

export const ratioHistory: Table = {
  schema: "core",
  name: "ratio_history",
  mode: "history",
  grain: "vault and hour",
  comment:
    "Backing, supply and collateral ratio, hourly, as the transparency dashboard shows them.",
  source: "GET /platform/unrealized_pnl with fields=ratio (§4.1, §2.9)",
  key: ["vault_address", "observed_at"],
  time: "observed_at",
  columns: [
    vaultAddress,
    chainId,
    {
      name: "observed_at",
      type: "timestamp",
      unit: "UTC",
      required: true,
      comment: "Instant of the point; points are hourly",
    },
    {
      name: "actual_tvl",
      type: "double",
      fields: ["actual_tvl"],
      unit: "as served; the document names no unit",
      comment: "Backing, mark-to-market",
    },
    {
      name: "tvl_on_vault",
      type: "double",
      fields: ["tvl_on_vault"],
      unit: "as served; the document names no unit",
      comment: "Supply, reported by the vault contract",
    },
    {
      name: "adjusted_redeem_ratio",
      type: "double",
      fields: ["adjusted_redeem_ratio"],
      unit: "fraction",
      comment: "Collateral ratio; below 1 the vault is worth less than it reports",
    },
    extra,
  ],
  example:
    "select observed_at, adjusted_redeem_ratio from core.ratio_history order by observed_at desc limit 24",
}

/** One row a point. Fails when the points carry no time under a known name. */
export const ratioHistoryRows = (
  points: ReadonlyArray<JsonObject>,
  source: Source<VaultRef>,
): Result.Result<MappedAnswer, Violation> =>
  Result.map(resolveTimes(points, source.timeFields), ({ field, micros }) =>
    together(
      mapRecords({
        table: ratioHistory,
        records: points,
        origin: source.origin,
        computed: {
          vault_address: source.subject.address,
          chain_id: source.subject.chainId,
          observed_at: micros,
        },
        consumed: [field],
      }),
    ),
  )
