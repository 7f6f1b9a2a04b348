// core.ratio_history: hourly backing, supply and collateral ratio of every vault.
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
    chainOfAddress,
    field.timestamp("observed_at", "Instant of the point; points are hourly", {
      names: [],
      required: true,
    }),
    documented.double("actual_tvl", "Backing, mark-to-market", {
      range: { from: 0 },
      unit: "as sent; the document names no unit",
    }),
    documented.double("tvl_on_vault", "Supply, reported by the vault contract", {
      range: { from: 0 },
      unit: "as sent; the document names no unit",
    }),
    documented.double(
      "adjusted_redeem_ratio",
      "Collateral ratio; below 1 the vault is worth less than it reports",
      // A percent in place of the fraction is about 100.
      { unit: "fraction", range: { from: 0, to: 10 } },
    ),
    extra,
  ],
  example:
    "select observed_at, adjusted_redeem_ratio from core.ratio_history order by observed_at desc limit 24",
}

/** One row for each point. Fails if no point has a time under a known name. */
export const ratioHistoryRows = (
  points: ReadonlyArray<JsonObject>,
  source: Source<VaultRef>,
): Result.Result<MappedResponse, Violation> =>
  Result.flatMap(timeFieldOf(ratioHistory, points, source, { areHourly: true }), (fields) =>
    combined(
      mapRecords({
        table: ratioHistory,
        records: points,
        source,
        fields,
        computed: {
          vault_address: source.subject.address,
          chain_id: source.subject.chainId,
        },
      }),
    ),
  )
