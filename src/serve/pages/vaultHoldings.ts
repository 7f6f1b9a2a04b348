// The tables of a vault's holdings and pending changes: subaccounts, withdrawals, loans, timelocks and governance.
import { amount, count, money, percent, shortened, times } from "../figures.ts"
import {
  linkColumn,
  numberColumn,
  type Row,
  textColumn,
  timeColumn,
  yesColumn,
} from "../html/columns.ts"
import type { TableSection } from "../html/table.ts"
import { tracePage } from "../links.ts"

const traceHealth = (column: string) => (row: Row) =>
  tracePage("mart.subaccount_health", column, { subaccount_address: row["subaccount_address"] })

export const vaultHoldings = (vault: Row): Readonly<Record<string, TableSection<Row>>> => {
  const key = { chain_id: vault["chain_id"], vault_address: vault["vault_address"] }
  const traceRequest = (column: string) => (row: Row) =>
    tracePage("mart.withdrawal_queue", column, { ...key, request_id: row["request_id"] })
  const traceTimelock = (row: Row) =>
    tracePage("mart.timelock_schedule", "executable_at", {
      ...key,
      timelock_id: row["timelock_id"],
    })
  return {
    subaccounts: {
      title: "Subaccounts",
      caption: "The nearest to liquidation first",
      empty: "No subaccount is known to belong to it.",
      columns: [
        textColumn("Subaccount", "name", "subaccount_address"),
        numberColumn("Health factor", "health_factor", times, traceHealth("health_factor")),
        textColumn("Band", "band"),
        numberColumn("Collateral, USD", "collateral_usd", money, traceHealth("collateral_usd")),
        numberColumn("Debt, USD", "debt_usd", money, traceHealth("debt_usd")),
        timeColumn("As of", "as_of_at"),
      ],
    },
    withdrawals: {
      title: "Withdrawal queue",
      caption: "First in, first out",
      empty:
        vault["pending_withdrawal_requests"] === 0
          ? "No withdrawal is pending."
          : "No list of pending withdrawals is known.",
      columns: [
        numberColumn("Place", "place", count),
        timeColumn("Requested", "requested_at"),
        numberColumn("Amount", "amount", amount, traceRequest("amount")),
        numberColumn("USD", "amount_usd", money),
        numberColumn("Cumulative share of the vault", "cumulative_share", percent),
        yesColumn("Covered by buffer", "is_covered_by_buffer"),
        timeColumn("Estimated", "estimated_completion_at"),
        yesColumn("Late", "is_late"),
        timeColumn("As of", "read_at"),
      ],
    },
    loans: {
      title: "Loans",
      caption: "Active loans that its subaccounts gave or took, the next due first",
      empty: "No active loan is known.",
      columns: [
        linkColumn(
          "Loan",
          (row) => tracePage("mart.loan_book", undefined, { loan_id: row["loan_id"] }),
          (row) => shortened(row["loan_address"]),
        ),
        textColumn("Side", "side"),
        numberColumn("Principal", "principal_amount", amount),
        textColumn("Token", "principal_token_symbol"),
        numberColumn("APR, as sent", "apr", amount),
        numberColumn("Next payment", "next_payment_amount", amount),
        timeColumn("Due", "next_payment_due_at"),
        timeColumn("Matures", "matures_at"),
        timeColumn("As of", "read_at"),
      ],
    },
    timelocks: {
      title: "Pending timelocks",
      caption: "In the order in which they can be executed",
      empty: "No pending timelock is known.",
      columns: [
        textColumn("What", "labels"),
        timeColumn("Executable from", "executable_at"),
        yesColumn("Executable now", "is_executable"),
        timeColumn("Scheduled", "scheduled_at"),
        linkColumn("Timelock", traceTimelock, (row) => shortened(row["timelock_id"])),
      ],
    },
    governance: {
      title: "Governance",
      caption: "The newest 50 events",
      empty: "No event is known.",
      columns: [
        timeColumn("At", "occurred_at"),
        textColumn("Kind", "kind"),
        textColumn("What", "title"),
        textColumn("Detail", "detail"),
      ],
    },
  }
}
