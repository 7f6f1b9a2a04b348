// Maps the loan records of the loan book, of a single loan and of a subaccount. §2.4 and §2.5 show no fields.
import type { Rows } from "../../../domain/table/table.ts"
import { isJsonObject, type JsonObject, stableStringify } from "../../../domain/values/json.ts"
import { contentKeys } from "../../contentKey.ts"
import { reportTimesOf } from "../../fields/reportTimes.ts"
import { columnReader, namesOf, readColumn } from "../../fields/wireNames.ts"
import { mapRecords, type MapOptions } from "../../mapRecords.ts"
import { filterRows, type Mapped, valuesOf } from "../../Source.ts"

/** The options of a mapping besides the records. */
type LoanContext = Pick<MapOptions, "table" | "source" | "mergeKey" | "computed" | "at"> & {
  /** The subaccount of the loans; the table then has a column `side`. */
  readonly subaccount?: string
}

/**
 * One row for each loan; a record that is sent twice is mapped once. Of records that name no loan, two that are equal may
 * be two loans.
 */
export const mapLoans = (
  wireRecords: ReadonlyArray<JsonObject>,
  { computed, subaccount, ...context }: LoanContext,
): Mapped => {
  const sent = new Set<string>()
  const records = wireRecords.flatMap((wireRecord) => {
    const record = flattened(wireRecord)
    if (!hasName(record, context)) return [record]
    const content = stableStringify(wireRecord)
    if (sent.has(content)) return []
    sent.add(content)
    return [record]
  })
  const sides =
    subaccount === undefined
      ? {}
      : { side: records.map((record) => sideOf(record, subaccount, context)) }
  const mapped = mapRecords({
    ...context,
    records,
    computed: { loan_id: loanIds(records, context, subaccount), ...sides, ...computed },
  })
  return { ...mapped, rows: firstOfEach(mapped.rows) }
}

/** The first row of each loan; the others of its id differ in `extra` at most, such as in the party under which it is listed. */
const firstOfEach = (rows: Rows): Rows => {
  const ids = valuesOf(rows, "loan_id")
  const firsts = new Map(ids.map((id, row) => [id, row] as const).toReversed())
  return firsts.size === ids.length
    ? rows
    : filterRows(rows, (row) => firsts.get(ids[row] ?? null) === row)
}

const hasName = (record: JsonObject, { table, source }: LoanContext): boolean =>
  ["loan_address", "loan_id"].some((column) => readColumn(record, table, column, source) !== null)

/**
 * The ids of loans: chain and address, the address alone, the record's id, or a hash of its content. Chain and address name one
 * loan, which the book may list under each of its parties; of a subaccount, positions in one loan are kept apart.
 */
const loanIds = (
  records: ReadonlyArray<JsonObject>,
  { table, source }: LoanContext,
  subaccount: string | undefined,
): ReadonlyArray<string> => {
  const read = (column: string) => columnReader(table, column, source)
  const [chainOf, addressOf] = [read("chain_id"), read("loan_address")]
  const fullNames = records.map((record) => {
    const [chainId, address] = [chainOf(record), addressOf(record)]
    return chainId === null || address === null ? undefined : `${chainId}:${address}`
  })
  const keys = contentKeys(
    records.map((record, row) => {
      const id = fullNames[row] ?? addressOf(record)
      return id === null ? record : { id }
    }),
    namesOf(table, "loan_id", source),
    reportTimesOf(table, source),
  )
  return subaccount === undefined ? keys.map((key, row) => fullNames[row] ?? key) : keys
}

/** The side of the loan that the subaccount is on. */
const sideOf = (
  record: JsonObject,
  subaccount: string,
  { table, source }: LoanContext,
): string | null => {
  const borrows = readColumn(record, table, "borrower_address", source) === subaccount
  const lends = readColumn(record, table, "lender_address", source) === subaccount
  return borrows ? (lends ? "BOTH" : "BORROWER") : lends ? "LENDER" : null
}

/**
 * Merges the fields of a position and its nested loan (`book`). If both have a field, that of the position moves into
 * `position`.
 */
const flattened = (record: JsonObject): JsonObject => {
  const name = ["book", "loan"].find((field) => isJsonObject(record[field]))
  if (name === undefined) return record
  const loan = record[name] as JsonObject
  const own = Object.entries(record).filter(([field]) => field !== name)
  const hidden = own.filter(([field]) => Object.hasOwn(loan, field))
  return {
    ...Object.fromEntries(own),
    ...loan,
    ...(hidden.length === 0 ? {} : { position: Object.fromEntries(hidden) }),
  }
}
