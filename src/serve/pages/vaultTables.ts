// The tables of a vault's page: one section for each part.
import {
  amount,
  count,
  figure,
  instant,
  money,
  percent,
  ratio,
  time,
  times,
} from "../html/figures.ts"
import { html, type Html, name } from "../html/html.ts"
import { type Column, table, type TableOptions } from "../html/table.ts"
import { tracePage } from "../links.ts"
import type { VaultParts } from "./vault.ts"

type Row = Readonly<Record<string, unknown>>

const text = (value: unknown): Html | string =>
  value === null || value === undefined ? "–" : name(String(value))

const textColumn = (label: string, column: string): Column<Row> => ({
  label,
  cell: (row) => text(row[column]),
})

const timeColumn = (label: string, column: string): Column<Row> => ({
  label,
  cell: (row) => time(row[column]),
})

const numberColumn = (
  label: string,
  column: string,
  format: (value: unknown) => string,
  trace?: (row: Row) => string,
): Column<Row> => ({
  label,
  align: "right",
  cell: (row) => figure(format(row[column]), undefined, trace?.(row)),
})

const yesColumn = (label: string, column: string): Column<Row> => ({
  label,
  cell: (row) => (row[column] === null ? "–" : row[column] === true ? "yes" : "no"),
})

const section = (id: string, title: string, options: TableOptions<Row>): Html =>
  html`<section aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    ${table(options)}
  </section>`

export const vaultTables = (vault: Row, parts: VaultParts): Html => {
  const key = { chain_id: vault["chain_id"], vault_address: vault["vault_address"] }
  const address = { vault_address: vault["vault_address"] }
  const ofDay = (column: string) => (row: Row) =>
    tracePage("mart.vault_daily", column, { ...address, day: row["day"] })
  const ofRequest = (column: string) => (row: Row) =>
    tracePage("mart.withdrawal_queue", column, { ...key, request_id: row["request_id"] })
  const ofHealth = (column: string) => (row: Row) =>
    tracePage("mart.subaccount_health", column, { subaccount_address: row["subaccount_address"] })
  const day = (column: string, label: string, format: (value: unknown) => string) =>
    numberColumn(label, column, format, ofDay(column))
  return html` ${section("below-par", "Below par", {
    caption: "Each time its collateral ratio was below 1, the newest first",
    rows: parts.below_par,
    empty: "It has never been below par.",
    columns: [
      timeColumn("From", "from_at"),
      timeColumn("To", "to_at"),
      numberColumn("Hours", "hours", count),
      numberColumn("Hours without a point", "hours_missing", count),
      numberColumn("Lowest", "lowest_ratio", ratio, (row) =>
        tracePage("mart.ratio_points", "collateral_ratio", { ...address, at: row["lowest_at"] }),
      ),
      timeColumn("Lowest at", "lowest_at"),
    ],
  })}
  ${section("days", "Last days", {
    caption: "Figures at the close of each day",
    rows: parts.days,
    empty: "It has no day with a figure.",
    columns: [
      { label: "Day", cell: (row) => instant(row["day"]) },
      day("collateral_ratio_close", "Ratio", ratio),
      day("collateral_ratio_low", "Lowest", ratio),
      day("apy_smoothed", "APY", percent),
      day("apy_unsmoothed", "APY, raw", percent),
      day("pnl_usd", "PnL, USD", money),
      day("nav_usd", "Net value, USD", money),
      day("buffer_usd", "Buffer, USD", money),
      {
        label: "Hours",
        align: "right",
        cell: (row) => `${count(row["hours_present"])} of ${count(row["hours_expected"])}`,
      },
    ],
  })}
  ${section("allocation", "Allocation", {
    caption: html`By protocol on ${time(parts.allocation[0]?.["day"])}, the largest first`,
    rows: parts.allocation,
    empty: "No allocation is known.",
    columns: [
      textColumn("Protocol", "protocol"),
      numberColumn("Value", "value", money, (row) =>
        tracePage("core.allocation_history", "value", {
          ...key,
          protocol: row["protocol"],
          date: row["day"],
        }),
      ),
      numberColumn("Part", "weight", percent),
      numberColumn("Change in a day", "value_change", money),
    ],
  })}
  ${section("subaccounts", "Subaccounts", {
    caption: "Those nearest to liquidation first",
    rows: parts.subaccounts,
    empty: "No subaccount is known to belong to it.",
    columns: [
      { label: "Subaccount", cell: (row) => text(row["name"] ?? row["subaccount_address"]) },
      numberColumn("Health factor", "health_factor", times, ofHealth("health_factor")),
      textColumn("Band", "band"),
      numberColumn("Collateral, USD", "collateral_usd", money, ofHealth("collateral_usd")),
      numberColumn("Debt, USD", "debt_usd", money, ofHealth("debt_usd")),
      timeColumn("As of", "as_of_at"),
    ],
  })}
  ${section("withdrawals", "Withdrawal queue", {
    caption: "First in, first out",
    rows: parts.withdrawals,
    empty: "No withdrawal is pending.",
    columns: [
      numberColumn("Place", "place", count),
      timeColumn("Requested", "requested_at"),
      numberColumn("Amount", "amount", amount, ofRequest("amount")),
      numberColumn("USD", "amount_usd", money),
      numberColumn("Of the vault, so far", "cumulative_share", percent),
      yesColumn("Covered by buffer", "is_covered_by_buffer"),
      timeColumn("Estimated", "estimated_completion_at"),
      yesColumn("Late", "is_late"),
      timeColumn("As of", "read_at"),
    ],
  })}
  ${section("timelocks", "Pending timelocks", {
    caption: "The next to fire first",
    rows: parts.timelocks,
    empty: "No timelock is scheduled.",
    columns: [
      textColumn("What", "labels"),
      timeColumn("Executable from", "executable_at"),
      yesColumn("Executable now", "is_executable"),
      timeColumn("Scheduled", "scheduled_at"),
      {
        label: "Timelock",
        cell: (row) =>
          html`<a
            href="${tracePage("mart.timelock_schedule", "executable_at", { ...key, timelock_id: row["timelock_id"] })}"
            >${shortened(row["timelock_id"])}</a
          >`,
      },
    ],
  })}
  ${section("governance", "Governance", {
    caption: "The newest 50 events",
    rows: parts.governance,
    empty: "No event is known.",
    columns: [
      timeColumn("At", "occurred_at"),
      textColumn("Kind", "kind"),
      textColumn("What", "title"),
      textColumn("Detail", "detail"),
    ],
  })}
  ${section("fees", "Fees", {
    caption: "What it charged since when, the newest first",
    rows: parts.fees,
    empty: "No fee is known.",
    columns: [
      timeColumn("Since", "valid_from"),
      timeColumn("Until", "valid_to"),
      numberColumn("Management, %", "management_fee_pct", amount),
      numberColumn("Performance, %", "performance_fee_pct", amount),
      numberColumn("Weekly performance, bps", "weekly_performance_fee_bps", amount),
    ],
  })}
  ${section("loans", "Loans", {
    caption: "Active loans its subaccounts gave or took, those due next first",
    rows: parts.loans,
    empty: "No active loan is known.",
    columns: [
      {
        label: "Loan",
        cell: (row) =>
          html`<a href="${tracePage("mart.loan_book", undefined, { loan_id: row["loan_id"] })}"
            >${shortened(row["loan_address"])}</a
          >`,
      },
      textColumn("Side", "side"),
      numberColumn("Principal", "principal_amount", amount),
      textColumn("Token", "principal_token_symbol"),
      numberColumn("APR", "apr", percent),
      numberColumn("Next payment", "next_payment_amount", amount),
      timeColumn("Due", "next_payment_due_at"),
      timeColumn("Matures", "matures_at"),
      timeColumn("As of", "read_at"),
    ],
  })}
  ${section("series", "Series", {
    caption: "How old each series is, and how its last request ended",
    rows: parts.series,
    empty: "No series is expected.",
    columns: [
      textColumn("Series", "series"),
      timeColumn("Newest", "newest_at"),
      numberColumn("Target, h", "target_hours", count),
      yesColumn("Stale", "is_stale"),
      timeColumn("Requested", "last_attempted_at"),
      textColumn("Outcome", "last_outcome"),
    ],
  })}`
}

const shortened = (value: unknown): string => {
  const id = String(value)
  return id.length > 14 ? `${id.slice(0, 8)}…${id.slice(-4)}` : id
}
