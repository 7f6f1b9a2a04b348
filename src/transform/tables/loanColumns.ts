// Columns of a loan wherever the service tells of one (§2.4 names their meaning, not their fields).
import type { Column } from "../../domain/table.ts"
import { spellings } from "../fields/takenFields.ts"

/** A figure as a double to reckon with and as text that keeps every digit. */
const figure = (name: string, comment: string): ReadonlyArray<Column> => [
  { name, type: "double", unit: "as served", comment },
  {
    name: `${name}_digits`,
    type: "text",
    unit: "as served",
    comment: `${comment}, every digit as served`,
  },
]

export const loanId: Column = {
  name: "loan_id",
  type: "text",
  required: true,
  comment:
    "Chain and address of the loan; its address or id where the record tells no more; else a digest of its content",
}

export const loanColumns: ReadonlyArray<Column> = [
  loanId,
  {
    name: "chain_id",
    type: "integer",
    comment: "The platform's chain id of the loan, else that of its principal token",
  },
  {
    name: "loan_address",
    type: "text",
    comment: "Address of the loan; EVM in lower case, others as served",
  },
  {
    name: "loan_address_as_served",
    type: "text",
    comment: "The address as the service spells it",
  },
  {
    name: "state",
    type: "text",
    fields: ["state", "loan_state", "loanState"],
    comment: "State of the loan; `ACTIVE` is the only one the document names (§2.4)",
  },
  {
    name: "borrower_address",
    type: "text",
    comment: "Who borrows; EVM in lower case, others as served",
  },
  {
    name: "lender_address",
    type: "text",
    comment: "Who lends; EVM in lower case, others as served",
  },
  ...figure("principal_amount", "Principal outstanding"),
  {
    name: "principal_amount_raw",
    type: "amount",
    fields: spellings("principal_amount_raw", "principal_raw", "raw_principal_amount"),
    unit: "smallest unit of the token",
    comment: "Principal outstanding, where the service gives it raw",
  },
  ...figure("initial_principal_amount", "Principal at the start"),
  ...figure("interest_amount", "Interest"),
  ...figure("total_repaid", "Repaid so far"),
  { name: "apr", type: "double", unit: "as served", comment: "APR the borrower pays" },
  {
    name: "lender_apr",
    type: "double",
    unit: "as served",
    comment: "APR the lender receives",
  },
  { name: "late_apr", type: "double", unit: "as served", comment: "APR on what is overdue" },
  {
    name: "principal_token",
    type: "json",
    fields: ["principal_token", "principalToken"],
    comment: "Token lent, as served",
  },
  { name: "principal_token_symbol", type: "text", comment: "Symbol of the token lent" },
  {
    name: "principal_token_address",
    type: "text",
    comment: "Token lent; EVM in lower case, others as served",
  },
  {
    name: "principal_token_chain_id",
    type: "integer",
    comment: "The platform's chain id of the token lent",
  },
  {
    name: "deployed_at",
    type: "timestamp",
    unit: "UTC",
    fields: spellings(
      "deployed_date",
      "deployed_at",
      "start_date",
      "started_at",
      "start_datetime",
      "created_at",
    ),
    comment: "When the loan was deployed",
  },
  {
    name: "matures_at",
    type: "timestamp",
    unit: "UTC",
    fields: spellings("maturity_date", "maturity", "matures_at", "end_date", "due_date", "due_at"),
    comment: "When the loan itself is due",
  },
  {
    name: "payment_interval",
    type: "json",
    fields: ["payment_interval", "paymentInterval"],
    comment: "Interval between payments, as served",
  },
  {
    name: "upcoming_payment",
    type: "json",
    fields: ["upcoming_payment", "upcomingPayment", "next_payment", "nextPayment"],
    comment: "The next upcoming payment, as served",
  },
  ...figure("upcoming_payment_amount", "Amount of the next upcoming payment"),
  {
    name: "upcoming_payment_due_at",
    type: "timestamp",
    unit: "UTC",
    comment: "When the next upcoming payment is due",
  },
]
