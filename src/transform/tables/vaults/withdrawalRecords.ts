// The withdrawal summary of a vault: §2.10 tells its parts but names none, so amounts and the queue are found
// by the words of their names and by their shape.
import * as Result from "effect/Result"
import { canonicalAddress } from "../../../domain/address.ts"
import { isJsonObject, type JsonObject } from "../../../domain/json.ts"
import type { VaultRef } from "../../../domain/vault.ts"
import type { Violation } from "../../../domain/violation.ts"
import { amountIn } from "../../fields/amounts.ts"
import { fieldsOf } from "../../fields/columnFields.ts"
import { contentKeys } from "../../contentKey.ts"
import { echoed } from "../../fields/echoed.ts"
import { fieldWords, hasWord } from "../../fields/fieldWords.ts"
import { mapCurrent } from "../../mapCurrent.ts"
import { type MappedAnswer, type Source, together } from "../../Source.ts"
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

/** The list named as a queue, else the only list of records there is. */
const queueField = (record: JsonObject): string | undefined => {
  const lists = Object.keys(record).filter((name) => isList(record[name]))
  const named = lists.find((name) => hasWord(name, queueWords))
  return named ?? (lists.length === 1 ? lists[0] : undefined)
}

const requestIdFields = ["id", "request_id", "requestId"]
const recipientFields = fieldsOf(withdrawalRequests, "recipient_address_as_served")
// They move while the request stays the same.
const movingFields = new Set([
  ...fieldsOf(withdrawalRequests, "vault_pct"),
  ...fieldsOf(withdrawalRequests, "estimated_completion_at"),
])

const recipientOf = (request: JsonObject): string | null => {
  const served = recipientFields
    .map((name) => request[name])
    .find((value) => typeof value === "string")
  return typeof served === "string" ? (canonicalAddress(served)?.canonical ?? served) : null
}

/** The totals, and a row for each pending request. */
export const withdrawalRows = (
  record: JsonObject,
  { origin, subject }: Source<VaultRef>,
): Result.Result<MappedAnswer, Violation> => {
  const queue = queueField(record)
  const listed = queue === undefined ? undefined : record[queue]
  const requests = isList(listed) ? listed : []
  const figures = Object.fromEntries(Object.entries(record).filter(([name]) => name !== queue))
  const withdrawn = amountIn(figures, isWithdrawn)
  const assets = amountIn(figures, isAssets)
  const amounts = requests.map((request) => amountIn(request, isAmount))
  const key = { vault_address: subject.address, chain_id: subject.chainId }
  const pending = mapCurrent({
    table: withdrawalRequests,
    records: requests.map((request, index) => {
      const consumed = new Set(amounts[index]?.consumed)
      return Object.fromEntries(Object.entries(request).filter(([name]) => !consumed.has(name)))
    }),
    origin,
    computed: {
      ...key,
      request_id: contentKeys(
        requests.map((request) =>
          Object.fromEntries(Object.entries(request).filter(([name]) => !movingFields.has(name))),
        ),
        requestIdFields,
      ),
      amount_raw: amounts.map(({ raw }) => raw),
      amount: amounts.map(({ normalized }) => normalized),
      recipient_address: requests.map(recipientOf),
    },
    consumed: requestIdFields,
  })
  return Result.succeed(
    together(
      mapCurrent({
        table: withdrawalSummaries,
        records: [figures],
        origin,
        computed: {
          ...key,
          total_withdrawals_raw: withdrawn.raw,
          total_withdrawals: withdrawn.normalized,
          total_assets_raw: assets.raw,
          total_assets: assets.normalized,
          pending_requests: isList(listed) ? requests.length : null,
        },
        consumed: [...withdrawn.consumed, ...assets.consumed, ...echoed(record, subject)],
      }),
      // A request gone from the queue has ended; an answer in which no queue was found ends none.
      isList(listed) ? { ...pending, rows: { ...pending.rows, scope: key } } : pending,
    ),
  )
}
