// Rows from loan records: of the loan book, of one loan, of one subaccount. No field name is shown (§2.4,
// §2.5), so all are looked for under the names seen in use, in both spellings.
import { isJsonObject, type JsonObject, stableStringify } from "../../../domain/json.ts"
import type { Origin } from "../../../domain/response.ts"
import type { Table, Value } from "../../../domain/table.ts"
import { contentKeys } from "../../contentKey.ts"
import type { Computed, Mapped } from "../../mapRecords.ts"
import {
  address,
  chain,
  digits,
  double,
  instant,
  mapTaken,
  type Reading,
  type Readings,
  served,
  spellings,
  takeFields,
  within,
} from "../../fields/takenFields.ts"

const addressNames = ["loan_address", "address", "contract_address"] as const
const token = spellings("principal_token")
const payment = spellings("upcoming_payment", "next_payment")

/** A figure stands for itself, or in a record with its raw and its normalized form. */
const figure = (
  name: string,
  readings: (reading: (...names: ReadonlyArray<string>) => Reading) => ReadonlyArray<Reading>,
): Readings => ({ [name]: readings(double), [`${name}_digits`]: readings(digits) })

const plain = (name: string, ...others: ReadonlyArray<string>): Readings =>
  figure(name, (read) => [
    read(name, ...others),
    within(spellings(name, ...others), read("normalized")),
  ])

const identity: Readings = {
  chain_id: [chain("chain_id", "chain"), within(token, chain("chain", "chain_id"))],
  loan_address: address(...addressNames),
  loan_address_as_served: served(...addressNames),
}

const readings: Readings = {
  ...identity,
  borrower_address: address("borrower", "borrower_address"),
  lender_address: address("lender", "lender_address"),
  ...plain("principal_amount", "principal"),
  ...plain("initial_principal_amount", "initial_principal"),
  ...plain("interest_amount"),
  ...plain("total_repaid"),
  apr: double("apr"),
  lender_apr: double("lender_apr"),
  late_apr: double("late_apr"),
  principal_token_symbol: within(token, served("symbol")),
  principal_token_address: [
    within(token, address("address")),
    address("principal_token_address", "principal_token"),
  ],
  principal_token_chain_id: within(token, chain("chain", "chain_id")),
  ...figure("upcoming_payment_amount", (read) => [within(payment, read("amount"))]),
  upcoming_payment_due_at: [
    within(payment, instant("due_date", "due_at")),
    instant("upcoming_payment_due_date"),
  ],
}

/** What a mapping knows of a loan beside the record. */
interface LoanContext {
  readonly table: Table
  readonly origin: Origin
  /** For each record. */
  readonly computed?: (record: JsonObject) => Readonly<Record<string, Value>>
  /** The loan that was asked about: its record need not say which it is. */
  readonly asked?: Readonly<Record<string, Value>>
}

/** One row a loan; a record served twice is one. */
export const mapLoans = (
  served_: ReadonlyArray<JsonObject>,
  { table, origin, computed, asked }: LoanContext,
): Mapped => {
  const records = [
    ...new Map(served_.map((record) => [stableStringify(record), unfolded(record)])).values(),
  ]
  const own = records.map((record) => computed?.(record) ?? {})
  const more: Record<string, ReadonlyArray<Value>> = {}
  for (const name of Object.keys(own[0] ?? {})) more[name] = own.map((row) => row[name] ?? null)
  const known: Computed = { loan_id: loanIds(records), ...more, ...asked }
  return mapTaken({ table, records, origin, computed: known, readings })
}

/** Chain and address; what there is of the two; the record's id; a digest of its content. */
const loanIds = (records: ReadonlyArray<JsonObject>): ReadonlyArray<string> => {
  const { columns } = takeFields(records, identity)
  return contentKeys(
    records.map((record, row) => {
      const chainId = columns["chain_id"]?.[row] ?? null
      const loan = columns["loan_address"]?.[row] ?? null
      if (loan === null) return record
      return { id: chainId === null ? loan : `${chainId}:${loan}` }
    }),
    ["id", "loan_id", "loanId"],
  )
}

/** The party of a loan a subaccount is, by its address. */
export const sideOf = (record: JsonObject, subaccount: string): string | null => {
  const { columns } = takeFields([unfolded(record)], readings)
  const borrows = columns["borrower_address"]?.[0] === subaccount
  const lends = columns["lender_address"]?.[0] === subaccount
  return borrows ? (lends ? "BOTH" : "BORROWER") : lends ? "LENDER" : null
}

/**
 * A position carries its loan in a record of its own (`book`): the loan's fields beside the position's. A
 * field both have stays the loan's, and the position's goes below `position`.
 */
const unfolded = (record: JsonObject): JsonObject => {
  const name = ["book", "loan"].find((field) => isJsonObject(record[field]))
  if (name === undefined) return record
  const loan = record[name] as JsonObject
  const own = Object.entries(record).filter(([field]) => field !== name)
  const hidden = own.filter(([field]) => field in loan)
  return {
    ...Object.fromEntries(own),
    ...loan,
    ...(hidden.length === 0 ? {} : { position: Object.fromEntries(hidden) }),
  }
}
