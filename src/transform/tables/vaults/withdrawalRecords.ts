// Maps the withdrawals of a vault. §2.10 describes their parts without names, so amounts and the queue are found by the
// words in their names and by their shape.
import type * as Result from "effect/Result"
import { isJsonObject, type JsonObject } from "../../../domain/json.ts"
import type { VaultRef } from "../../../domain/vault.ts"
import type { Violation } from "../../../domain/violation.ts"
import { amountIn, amountsIn } from "../../fields/amounts.ts"
import { namesOf } from "../../fields/wireNames.ts"
import { contentKeys } from "../../contentKey.ts"
import { echoedFields } from "../../fields/echoedFields.ts"
import { fieldWords, hasWord } from "../../fields/fieldWords.ts"
import { mapRecords } from "../../mapRecords.ts"
import { combined, type MappedResponse, type Source } from "../../Source.ts"
import { withdrawalRequests } from "./withdrawal_requests.ts"
import { withdrawalSummaries } from "./withdrawal_summaries.ts"

const assetWords = new Set(["assets"])
const withdrawalWords = new Set(["withdrawal", "withdrawals", "withdraw", "withdrawn"])
const amountWords = new Set(["amount", "amounts"])
const queueWords = new Set(["pending", "queue", "requests"])

const isAssets = (name: string): boolean =>
  hasWord(name, assetWords) && !hasWord(name, withdrawalWords)
const isWithdrawn = (name: string): boolean =>
  hasWord(name, withdrawalWords) ||
  (hasWord(name, amountWords) && fieldWords(name).includes("total"))
const isAmount = (name: string): boolean => hasWord(name, amountWords)

const isList = (value: unknown): value is ReadonlyArray<JsonObject> =>
  Array.isArray(value) && value.every(isJsonObject)

/** The list with a name for a queue, or else the only list of records. */
const queueField = (record: JsonObject): string | undefined => {
  const lists = Object.keys(record).filter((name) => isList(record[name]))
  const named = lists.find((name) => hasWord(name, queueWords))
  return named ?? (lists.length === 1 ? lists[0] : undefined)
}

// These columns change while the request stays the same.
const movingColumns = ["vault_pct", "estimated_completion_at"]

/** One row for the totals, and one for each pending request. */
export const withdrawalRows = (
  record: JsonObject,
  source: Source<VaultRef>,
): Result.Result<MappedResponse, Violation> => {
  const { subject } = source
  const queue = queueField(record)
  const listed = queue === undefined ? undefined : record[queue]
  const requests = isList(listed) ? listed : []
  const figures = without(record, [queue])
  const withdrawn = amountIn(figures, isWithdrawn)
  const assets = amountIn(figures, isAssets)
  const amounts = amountsIn(requests, isAmount, withdrawn)
  const key = { vault_address: subject.address, chain_id: subject.chainId }
  const moving = movingColumns.flatMap((name) => namesOf(withdrawalRequests, name, source))
  return combined(
    mapRecords({
      table: withdrawalSummaries,
      records: [figures],
      source,
      computed: {
        ...key,
        total_withdrawals_raw: withdrawn.raw,
        total_withdrawals: withdrawn.normalized,
        total_assets_raw: assets.raw,
        total_assets: assets.normalized,
        pending_requests: isList(listed) ? requests.length : null,
      },
      consumed: [...withdrawn.consumed, ...assets.consumed, ...echoedFields(record, subject)],
      at: () => "$",
    }),
    mapRecords({
      table: withdrawalRequests,
      records: requests.map((request, index) => without(request, amounts[index]?.consumed ?? [])),
      source,
      computed: {
        ...key,
        request_id: contentKeys(
          requests.map((request) => without(request, moving)),
          namesOf(withdrawalRequests, "request_id", source),
        ),
        amount_raw: amounts.map(({ raw }) => raw),
        amount: amounts.map(({ normalized }) => normalized),
      },
      // Requests that have left the queue are retired; a response without a queue retires none.
      ...(isList(listed) ? { mergeKey: key } : {}),
    }),
  )
}

const without = (record: JsonObject, names: ReadonlyArray<string | undefined>): JsonObject =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)))
