// Maps the withdrawals of a vault to their totals and the queue of pending requests (§2.10).
import type * as Result from "effect/Result"
import { isJsonObject, type JsonObject } from "../../../../domain/values/json.ts"
import type { VaultRef } from "../../../../domain/subject/vault.ts"
import type { Violation } from "../../../../domain/wire/violation.ts"
import { spellings } from "../../../../domain/table/column.ts"
import { contentKeys } from "../../../contentKey.ts"
import { amountFields, withAmountParts } from "../../../fields/amounts.ts"
import { echoedFields } from "../../../fields/echoedFields.ts"
import { reportTimesOf } from "../../../fields/reportTimes.ts"
import { namesOf, outerField } from "../../../fields/wireNames.ts"
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
  const mapped = mapRecords({
    table: withdrawalRequests,
    records: requests.map((request) => withAmountParts(request, requestAmount)),
    source,
    fields: amountFields(withdrawalRequests, requests, source, requestAmount),
    computed: {
      ...key,
      request_id: contentKeys(
        requests.map(unchangingOf(source)),
        namesOf(withdrawalRequests, "request_id", source),
        reportTimesOf(withdrawalRequests, source),
      ),
    },
    // Requests that have left the queue are retired; a response without a queue retires none.
    ...(queue === undefined ? {} : { mergeKey: key }),
  })
  const isInQueue = ({ path }: Violation) => path.startsWith(`$.${queue?.field ?? ""}[`)
  const leftOut = source.leftOut?.filter(isInQueue) ?? []
  const unread = mapped.rejected.length + (queue?.others.length ?? 0) + leftOut.length
  return combined(
    mapRecords({
      table: withdrawalSummaries,
      records: [figures],
      source,
      fields: amountFields(withdrawalSummaries, [figures], source, ...summaryAmounts),
      computed: {
        ...key,
        pending_requests: queue === undefined ? null : mapped.rows.length + unread,
        unread_requests: unread === 0 ? null : unread,
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
 * queue, may change with every reading.
 */
const unchangingOf = (source: Source<VaultRef>): ((request: JsonObject) => JsonObject) => {
  const names = (...columns: ReadonlyArray<string>) =>
    columns.flatMap((column) => namesOf(withdrawalRequests, column, source))
  const paths = names("amount_raw", "amount").map((name) => name.split("."))
  const amounts = paths.flatMap(([field = ""]) => field)
  // §2.10: each has these.
  const needed = [
    names("requested_at"),
    names("recipient_address"),
    [...amounts, ...spellings(...requestAmount.stems)],
  ]
  const ids = names("request_id")
  const known = new Set([...ids, ...ids.map(outerField), ...needed.flat()])
  const moving = names(...movingColumns)
  const isWhole = (request: JsonObject) =>
    needed.every((fields) => fields.some((field) => (request[field] ?? null) !== null))
  const ofAmount = amountIn(
    new Set(amounts),
    paths.flatMap(([, part]) => part ?? []),
  )
  return (request) =>
    ofAmount(
      isWhole(request)
        ? Object.fromEntries(Object.entries(request).filter(([name]) => known.has(name)))
        : without(request, moving),
    )
}

/** Leaves of each amount that is a record only the amount: what is beside it, such as its price, moves. */
const amountIn =
  (fields: ReadonlySet<string>, parts: ReadonlyArray<string>) =>
  (request: JsonObject): JsonObject =>
    Object.fromEntries(
      Object.entries(request).map(([name, value]) => {
        if (!fields.has(name) || !isJsonObject(value)) return [name, value]
        const amount = Object.entries(value).filter(([part]) => parts.includes(part))
        return [name, amount.length === 0 ? value : Object.fromEntries(amount)]
      }),
    )

const without = (record: JsonObject, names: ReadonlyArray<string>): JsonObject =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)))
