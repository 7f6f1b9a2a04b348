// Reads from mart.completeness the missing slots that `sync --fill-gaps` requests again.
import * as Effect from "effect/Effect"
import type { TaskVault } from "../../domain/subject/vault.ts"
import { MICROS_PER_DAY, MICROS_PER_HOUR } from "../../domain/values/time.ts"
import { decodeRow, list, number, oneOf, optional, text } from "../../load/duckdb/decodeRow.ts"
import { sqlFile } from "../../load/sql/sqlFile.ts"
import type { Warehouse } from "../../load/Warehouse.ts"
import type { MissingSlots } from "../model/PartitionState.ts"

const missingDay = decodeRow({
  address: text("vault_address"),
  chainId: optional(number)("chain_id"),
  series: text("series"),
  period: oneOf("hour", "day")("period"),
  day: number("day"),
  present: number("present"),
  missing: list(number)("missing"),
})

/** Returns a function from a vault to its missing slots by series. The marts must exist. */
export const missingSlotsOf = Effect.fnUntraced(function* (
  warehouse: Pick<Warehouse["Service"], "rows">,
  pipeline: string,
) {
  const rows = yield* warehouse.rows(sqlFile("state", "missing_slots"), [pipeline])
  const byAddress = Map.groupBy(rows.map(missingDay), ({ address }) => address)
  return ({ address, chainId }: TaskVault): ReadonlyMap<string, MissingSlots> => {
    const ofVault = (byAddress.get(address) ?? []).filter(
      (each) => chainId === undefined || each.chainId === chainId,
    )
    // For a series that is read by address alone: the days of one of its chains.
    const bySeries = Map.groupBy(ofVault, (each) => `${each.series} ${each.chainId}`)
    return new Map(
      [...bySeries.values()].map((days) => [
        days[0]?.series ?? "",
        { slotMicros: days[0]?.period === "hour" ? MICROS_PER_HOUR : MICROS_PER_DAY, days },
      ]),
    )
  }
})
