// The points of the warehouse in the form of `given.ts`: those that hold, and the superseded ones.
import * as Effect from "effect/Effect"
import { query } from "../support/warehouseRun.ts"

const instant = (column: string): string => `strftime(${column}, '%Y-%m-%dT%H:%M:%SZ')`

const selects = {
  ratio: [instant("observed_at"), "[actual_tvl, tvl_on_vault, adjusted_redeem_ratio]"],
  pnl: [instant("snapshot_at"), "[unrealized_pnl, unrealized_pnl_in_asset]"],
  apy: ["date || ' ' || if(is_smoothed, 'smoothed', 'raw')", "[apy]"],
  allocation: ["date || ' ' || protocol", "[value]"],
} as const

export interface Stored {
  readonly key: string
  /** A list of numbers as JSON. */
  readonly value: string
}

/** Ordered by the key and, of versions, by when they were superseded. */
const read = (dataDir: string, suffix: string, order: string) =>
  Effect.map(
    query(
      dataDir,
      Object.entries(selects)
        .map(
          ([series, [when, figures]]) =>
            `select '${series} ' || vault_address || ' ' || ${when} as key,
              to_json(${figures}::double[])::varchar as figures, ${order} as position
            from core.${series}_history${suffix}`,
        )
        .join(" union all ")
        .concat(" order by key, position"),
    ),
    (rows) =>
      rows.map(({ key, figures }): Stored => ({
        key: String(key),
        value: JSON.stringify(JSON.parse(String(figures))),
      })),
  )

export const current = (dataDir: string) => read(dataDir, "", "_updated_at")
export const superseded = (dataDir: string) => read(dataDir, "_versions", "_superseded_at")
