// core.swaps: the journal of swaps. A row is written before its request is sent, and again once it is known
// what became of it.
import type { JsonObject } from "../../../domain/json.ts"
import type { Rows, Table } from "../../../domain/table.ts"
import { mapRecords } from "../../mapRecords.ts"
import { extra, subaccountAddress } from "../shared.ts"

export const swaps: Table = {
  schema: "core",
  name: "swaps",
  mode: "history",
  grain: "swap sent",
  comment:
    "Journal of the swaps sent with `vaulthouse swap`, each once, whether answered or not; written before sending and after.",
  source:
    "POST /subaccounts/{address}/swaps (§4.3, §2.11), and vaulthouse's own record of sending it",
  key: ["swap_id", "requested_at"],
  time: "requested_at",
  columns: [
    { name: "swap_id", type: "text", required: true, comment: "Our own identifier of the swap" },
    subaccountAddress,
    {
      name: "requested_at",
      type: "timestamp",
      unit: "UTC",
      required: true,
      comment: "When the row was first written, just before the request was sent",
    },
    {
      name: "settled_at",
      type: "timestamp",
      unit: "UTC",
      comment: "When it was known what became of the request; null when that was never recorded",
    },
    {
      name: "state",
      type: "text",
      required: true,
      comment:
        "`answered`: the service says it swapped; `refused`: it says it did not; `unknown`: it said neither; `sent`: the process ended before anything was known, which means as little",
    },
    { name: "status", type: "integer", comment: "HTTP status of the answer; null without one" },
    { name: "request", type: "json", required: true, comment: "Body of the request (§2.11)" },
    {
      name: "transaction_hash",
      type: "text",
      fields: ["transaction_hash", "transactionHash", "tx_hash", "txHash", "hash"],
      comment: "Transaction that swapped, as served",
    },
    {
      name: "market",
      type: "text",
      fields: ["market", "market_used", "marketUsed"],
      comment: "Market used",
    },
    {
      name: "response_id",
      type: "text",
      comment: "Archived response (raw.responses); null without an answer",
    },
    { name: "error_tag", type: "text", comment: "Cause, where the service did not say it swapped" },
    { name: "error_text", type: "text", comment: "What the service said, or what happened" },
    extra,
  ],
  example:
    "select requested_at, state, request ->> 'source_token' as source_token, transaction_hash from core.swaps order by requested_at desc",
}

export type SwapState = "sent" | "answered" | "refused" | "unknown"

export interface SwapRecord {
  readonly swapId: string
  readonly subaccountAddress: string
  /** Microseconds since 1970 UTC. */
  readonly requestedAt: number
  readonly settledAt: number | null
  readonly state: SwapState
  readonly status: number | null
  /** JSON text. */
  readonly request: string
  readonly responseId: string | null
  readonly errorTag: string | null
  readonly errorText: string | null
  /** The service's record of the swap; empty before and without it. */
  readonly answer: JsonObject
}

/** The journal's row. Its origin is our own record and not the answer: a replay must not bring it back. */
export const swapRows = (record: SwapRecord): Rows => {
  const { rows } = mapRecords({
    table: swaps,
    records: [record.answer],
    origin: { responseId: "", receivedAt: record.requestedAt },
    computed: {
      swap_id: record.swapId,
      subaccount_address: record.subaccountAddress,
      requested_at: record.requestedAt,
      settled_at: record.settledAt,
      state: record.state,
      status: record.status,
      request: record.request,
      response_id: record.responseId,
      error_tag: record.errorTag,
      error_text: record.errorText,
    },
  })
  return { ...rows, origin: null }
}
