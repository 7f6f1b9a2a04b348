// The columns of a loan in every list. §2.4 describes them without their field names.
import { type Column, field } from "../../domain/table/column.ts"
import { amountNames } from "../fields/amounts.ts"
import { address, chain, digits, id, nonEmpty } from "../fields/readers.ts"
import { wireSpelling } from "./shared.ts"

/**
 * Columns for a figure as a double and as text with every digit; it is sent as a number, or as a raw and normalized one. Beside a
 * normalized one, a plain one is raw.
 */
const figure = (
  name: string,
  comment: string,
  stems: ReadonlyArray<string> = [name],
): ReadonlyArray<Column> => {
  const names = [...amountNames(...stems).normalized, ...stems]
  const unit = "as sent"
  return [
    field.double(name, comment, { names, unit, plausible: { from: 0 } }),
    field.text(`${name}_digits`, `${comment}, every digit`, { names, unit, read: digits }),
  ]
}

const loanAddress = ["loan_address", "address", "contract_address"]

export const loanId = field.text(
  "loan_id",
  "Chain and address of the loan; only its address or id if the record has no more; else a hash of its content",
  { names: ["id", "loan_id"], read: id, required: true },
)

export const loanColumns: ReadonlyArray<Column> = [
  loanId,
  field.integer(
    "chain_id",
    "The platform's chain id of the loan, else that of its principal token",
    {
      names: ["chain_id", "chain", "principal_token.chain", "principal_token.chain_id"],
      read: chain,
    },
  ),
  field.text("loan_address", "Address of the loan; EVM in lower case, others unchanged", {
    names: loanAddress,
    read: address,
  }),
  wireSpelling("loan_address", loanAddress),
  field.text("state", "State of the loan; the document names only `ACTIVE` (§2.4)"),
  field.text("borrower_address", "Borrower; EVM in lower case, others unchanged", {
    names: ["borrower", "borrower_address"],
    read: address,
  }),
  field.text("lender_address", "Lender; EVM in lower case, others unchanged", {
    names: ["lender", "lender_address"],
    read: address,
  }),
  ...figure("principal_amount", "Principal outstanding", ["principal_amount", "principal"]),
  field.amount("principal_amount_raw", "Principal outstanding, if the service sends it raw", {
    names: ["principal_amount_raw", "principal_amount.raw"],
    unit: "smallest unit of the token",
  }),
  ...figure("initial_principal_amount", "Principal at the start"),
  ...figure("interest_amount", "Interest"),
  ...figure("total_repaid", "Repaid so far"),
  field.double("apr", "APR the borrower pays", { unit: "as sent", plausible: { from: 0 } }),
  field.double("lender_apr", "APR the lender receives", {
    unit: "as sent",
    plausible: { from: 0 },
  }),
  field.double("late_apr", "APR on overdue amounts", { unit: "as sent", plausible: { from: 0 } }),
  field.json("principal_token", "Token lent, as sent"),
  field.text("principal_token_symbol", "Symbol of the token lent", {
    names: ["principal_token.symbol"],
    read: nonEmpty,
  }),
  field.text("principal_token_address", "Token lent; EVM in lower case, others unchanged", {
    names: ["principal_token_address", "principal_token"],
    read: address,
  }),
  field.integer("principal_token_chain_id", "The platform's chain id of the token lent", {
    names: ["principal_token.chain", "principal_token.chain_id"],
    read: chain,
  }),
  field.timestamp("deployed_at", "When the loan was deployed", {
    names: ["deployed_date", "start_date"],
  }),
  field.timestamp("matures_at", "When the loan is due", {
    names: ["maturity_date", "end_date"],
  }),
  field.json("payment_interval", "Interval between payments, as sent"),
  field.json("upcoming_payment", "The next upcoming payment, as sent", {
    names: ["upcoming_payment", "next_payment"],
  }),
  ...figure("upcoming_payment_amount", "Amount of the next upcoming payment", [
    "upcoming_payment.amount",
    "next_payment.amount",
  ]),
  field.timestamp("upcoming_payment_due_at", "When the next upcoming payment is due", {
    names: ["upcoming_payment.due_date", "next_payment.due_date"],
  }),
]
