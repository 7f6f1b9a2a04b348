// The tables of a vault's history: episodes below par, days, allocation, fees and series.
import { amount, count, money, percent, ratio } from "../figures.ts"
import { numberColumn, type Row, textColumn, timeColumn, yesColumn } from "../html/columns.ts"
import type { TableSection } from "../html/table.ts"
import { tracePage } from "../links.ts"

export const vaultHistory = (vault: Row): Readonly<Record<string, TableSection<Row>>> => {
  const key = { chain_id: vault["chain_id"], vault_address: vault["vault_address"] }
  const address = { vault_address: vault["vault_address"] }
  const day = (column: string, label: string, format: (value: unknown) => string) =>
    numberColumn(label, column, format, (row) =>
      tracePage("mart.vault_daily", column, { ...address, day: row["day"] }),
    )
  return {
    below_par: {
      title: "Below par",
      caption: "Each time its collateral ratio was below 1, the newest first",
      empty:
        vault["ratio_at"] === null
          ? "No collateral ratio of it is on record."
          : "It has never been below par.",
      columns: [
        timeColumn("From", "from_at"),
        timeColumn("To", "to_at"),
        numberColumn("Hours", "hours", count),
        numberColumn("Hours without a point", "hours_missing", count),
        numberColumn("Lowest", "lowest_ratio", ratio, (row) =>
          tracePage("mart.ratio_points", "collateral_ratio", {
            ...address,
            at: row["lowest_at"],
          }),
        ),
        timeColumn("Lowest at", "lowest_at"),
      ],
    },
    days: {
      title: "Last days",
      caption: "Figures at the close of each day",
      empty: "No day has a figure.",
      columns: [
        timeColumn("Day", "day"),
        day("collateral_ratio_close", "Ratio", ratio),
        day("collateral_ratio_low", "Lowest", ratio),
        day("apy_smoothed", "APY", percent),
        day("apy_unsmoothed", "APY, raw", percent),
        day("pnl_usd", "PnL, unrealized, USD", money),
        day("nav_usd", "Net value, USD", money),
        day("buffer_usd", "Buffer, USD", money),
        {
          label: "Hours",
          align: "right",
          cell: (row) => `${count(row["hours_present"])} of ${count(row["hours_expected"])}`,
        },
      ],
    },
    allocation: {
      title: "Allocation",
      caption: "By protocol on the newest day, the largest first",
      empty: "No allocation is known.",
      columns: [
        textColumn("Protocol", "protocol"),
        timeColumn("Day", "day"),
        numberColumn("Value", "value", money, (row) =>
          tracePage("core.allocation_history", "value", {
            ...key,
            protocol: row["protocol"],
            date: row["day"],
          }),
        ),
        numberColumn("Share", "weight", percent),
        numberColumn("Change in one day", "value_change", money),
      ],
    },
    fees: {
      title: "Fees",
      caption: "Fees over time, the newest first",
      empty: "No fee is known.",
      columns: [
        timeColumn("Since", "valid_from"),
        timeColumn("Until", "valid_to"),
        numberColumn("Management, %", "management_fee_pct", amount),
        numberColumn("Performance, %", "performance_fee_pct", amount),
        numberColumn("Weekly performance, bps", "weekly_performance_fee_bps", amount),
      ],
    },
    series: {
      title: "Series",
      caption: "How old each series is, and how its last request ended",
      empty: "No series is expected.",
      columns: [
        textColumn("Series", "series"),
        timeColumn("Newest", "newest_at"),
        numberColumn("Target, h", "target_hours", count),
        yesColumn("Stale", "is_stale"),
        timeColumn("Requested", "last_attempted_at"),
        textColumn("Outcome", "last_outcome"),
      ],
    },
  }
}
