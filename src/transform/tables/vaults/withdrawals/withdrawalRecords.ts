// Maps the withdrawals of a vault to their totals and the queue of pending requests (§2.10).
import type * as Result from "effect/Result"
import type { JsonObject } from "../../../../domain/values/json.ts"
import type { VaultRef } from "../../../../domain/subject/vault.ts"
import type { Violation } from "../../../../domain/wire/violation.ts"
import { spellings } from "../../../../domain/table/column.ts"
import { contentKeys } from "../../../contentKey.ts"
import { amountFields, withAmountParts } from "../../../fields/amounts.ts"
import { echoedFields } from "../../../fields/echoedFields.ts"
import { reportTimesOf } from "../../../fields/reportTimes.ts"
import { numberOf } from "../../../fields/numbers.ts"
import { namesOf, valueAt } from "../../../fields/wireNames.ts"
import { mapRecords } from "../../../mapRecords.ts"
import { recordsIn } from "../../../shapes/recordsIn.ts"
import { otherRecords } from "../../../shapes/undeclared.ts"
import { combined, type MappedResponse, type Source } from "../../../Source.ts"
import { requestAmount, withdrawalRequests } from "./withdrawal_requests.ts"
import { summaryAmounts, withdrawalSummaries } from "./withdrawal_summaries.ts"

// These columns change while the request stays the same.
const movingColumns = ["vault_pct", "estimated_completion_at"]

/** One row for the totals, and one for each pending request. */
export const withdrawalRows = (
  record: JsonObject,
  source: Source<VaultRef>,
): Result.Result<MappedResponse, Violation> => {
  const { subject } = source
  const queue = recordsIn(withdrawalRequests, source)(record)
  const figures = withAmountParts(queue?.rest ?? record, ...summaryAmounts)
  const requests = queue?.records ?? []
  const key = { vault_address: subject.address, chain_id: subject.chainId }
  const amounts = amountFields(withdrawalRequests, requests, source, requestAmount)
  const mapped = mapRecords({
    table: withdrawalRequests,
    records: requests.map((request) => withAmountParts(request, requestAmount)),
    source,
    fields: amounts,
    computed: {
      ...key,
      request_id: contentKeys(
        requests.map(unchangingOf(source, amounts)),
        namesOf(withdrawalRequests, "request_id", source),
        reportTimesOf(withdrawalRequests, source),
      ),
    },
    // Requests that have left the queue are retired; a response without a queue retires none.
    ...(queue === undefined ? {} : { mergeKey: key }),
  })
  return combined(
    mapRecords({
      table: withdrawalSummaries,
      records: [figures],
      source,
      fields: amountFields(withdrawalSummaries, [figures], source, ...summaryAmounts),
      computed: {
        ...key,
        pending_requests: queue === undefined ? null : requests.length + queue.others.length,
      },
      consumed: echoedFields(record, subject),
      // A response may hold nothing but the queue.
      isOpen: queue !== undefined,
      at: () => "$",
    }),
    otherRecords(mapped, withdrawalRequests, queue, source),
  )
}

/**
 * The fields by which a request is known again. With a date, a recipient and an amount these suffice; others, such as a place in the
 * queue, may change with every reading, and so may a normalized amount that is more than its raw one in another unit.
 */
const unchangingOf = (
  source: Source<VaultRef>,
  { amount_raw: raw = [], amount: normalized = [] }: ReturnType<typeof amountFields>,
): ((request: JsonObject) => JsonObject) => {
  const names = (...columns: ReadonlyArray<string>) =>
    columns.flatMap((column) => namesOf(withdrawalRequests, column, source))
  const amounts = names("amount_raw", "amount").flatMap((name) => name.split(".")[0] ?? [])
  // §2.10: each has these.
  const needed = [
    names("requested_at"),
    names("recipient_address"),
    [...amounts, ...spellings(...requestAmount.stems)],
  ]
  const known = new Set([...names("request_id"), ...needed.flat(), ...raw])
  const moving = names(...movingColumns)
  const isWhole = (request: JsonObject) =>
    needed.every((fields) => fields.some((field) => (request[field] ?? null) !== null))
  return (request) => {
    const steady = isValued(figureOf(request, raw), figureOf(request, normalized))
      ? without(withAmountParts(request, requestAmount), normalized)
      : request
    return isWhole(request)
      ? Object.fromEntries(Object.entries(steady).filter(([name]) => known.has(name)))
      : without(steady, moving)
  }
}

const figureOf = (record: JsonObject, names: ReadonlyArray<string>): number =>
  names.map((name) => numberOf(valueAt(record, name))).find((figure) => figure !== undefined) ??
  Number.NaN

/**
 * Whether a normalized amount has other digits than its raw one, because a price or a rounding is in it. Others stay in the hash, as
 * they were in version 1.0.0: without them, all stored requests would end once, and begin again under another id.
 */
const isValued = (raw: number, normalized: number): boolean => {
  const scale = raw / normalized
  return Math.abs(scale / 10 ** Math.round(Math.log10(scale)) - 1) > 1e-9
}

const without = (record: JsonObject, names: ReadonlyArray<string>): JsonObject =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)))
