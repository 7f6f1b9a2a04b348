// The marts that are too slow as views: published copies hold their rows in tables of schema `mart_tables`, which the
// warehouse keeps up to date (`refreshStoredMarts.ts`). In the warehouse itself the marts stay views.

export interface StoredMart {
  /** In schema mart. */
  readonly name: string
  /** The column that decides the month of a row. */
  readonly time: string
  /** Tables and their event-time columns; a row of the mart depends only on their rows of the same month. */
  readonly byMonth: Readonly<Record<string, string>>
  /** Small marts it reads; any change in them may change any row. Their tables change more often than they do. */
  readonly whole: ReadonlyArray<string>
  /** Other marts it reads, in dependency order. */
  readonly through: ReadonlyArray<string>
}

const ratios = { "core.ratio_history": "observed_at" }
const pnl = { "core.pnl_history": "snapshot_at" }
const positions = { "core.position_snapshots": "snapshot_at" }

/**
 * They depend on nothing else, neither the present time nor other tables; a test checks this. They are made in this order:
 * the check `published_days` reads pnl_days wherever ratio_days has rows.
 */
export const storedMarts: ReadonlyArray<StoredMart> = [
  { name: "pnl_days", time: "day", byMonth: pnl, whole: [], through: [] },
  { name: "ratio_days", time: "day", byMonth: ratios, whole: [], through: ["ratio_points"] },
  { name: "position_days", time: "day", byMonth: positions, whole: [], through: [] },
  {
    name: "vault_hourly",
    time: "hour_at",
    byMonth: { ...ratios, ...pnl, ...positions },
    whole: ["vault_addresses"],
    through: ["ratio_points"],
  },
]
