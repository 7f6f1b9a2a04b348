// Maps the withdrawals of a vault to their totals and the queue of pending requests (§2.10).
import type * as Result from "effect/Result"
import type { JsonObject } from "../../../../domain/values/json.ts"
import type { VaultRef } from "../../../../domain/subject/vault.ts"
import type { Violation } from "../../../../domain/wire/violation.ts"
import { contentKeys } from "../../../contentKey.ts"
import { amountFields, withAmountParts } from "../../../fields/amounts.ts"
import { echoedFields } from "../../../fields/echoedFields.ts"
import { reportTimesOf } from "../../../fields/reportTimes.ts"
import { namesOf } from "../../../fields/wireNames.ts"
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
  const moving = movingColumns.flatMap((name) => namesOf(withdrawalRequests, name, source))
  const mapped = mapRecords({
    table: withdrawalRequests,
    records: requests.map((request) => withAmountParts(request, requestAmount)),
    source,
    fields: amountFields(withdrawalRequests, requests, source, requestAmount),
    computed: {
      ...key,
      request_id: contentKeys(
        requests.map((request) => without(request, moving)),
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
    otherRecords(mapped, withdrawalRequests, queue, "$", source),
  )
}

const without = (record: JsonObject, names: ReadonlyArray<string>): JsonObject =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)))
