// core.swaps: the journal of swaps. A row is written before its request is sent, and again when the outcome is known.
import { field, integer, json, text, timestamp } from "../../../domain/table/column.ts"
import { isJsonObject, type JsonObject } from "../../../domain/values/json.ts"
import type { Rows, Table } from "../../../domain/table/table.ts"
import { readColumn } from "../../fields/wireNames.ts"
import { mapRecords } from "../../mapRecords.ts"
import { extra, subaccountAddress, transactionHashNames } from "../shared.ts"

export const swaps: Table = {
  schema: "core",
  name: "swaps",
  mode: "history",
  grain: "swap sent",
  comment:
    "Journal of the swaps sent with `vaulthouse swap`, written before and after sending, with or without a response.",
  source: "POST /subaccounts/{address}/swaps (§4.3, §2.11), and vaulthouse's record of sending it",
  key: ["swap_id", "requested_at"],
  time: "requested_at",
  columns: [
    text("swap_id", "vaulthouse's id of the swap", { required: true }),
    // As it was typed, in the spelling for joins: a swap that was refused may name one that no list has.
    text("subaccount_address", subaccountAddress.comment, { required: true }),
    timestamp("requested_at", "When the row was written, just before the request was sent", {
      required: true,
    }),
    timestamp("completed_at", "When the outcome was known; null if it was never recorded"),
    text(
      "state",
      "`confirmed`: the service reports the swap with a transaction; `refused`: the service refused it; `unknown`: no clear response; `sent`: the process ended before the outcome was known, which is equally uncertain",
      { required: true },
    ),
    integer("status", "HTTP status of the response; null without one"),
    json("request", "Body of the request (§2.11)", { required: true }),
    field.text("transaction_hash", "Transaction that swapped, as sent", {
      // Not `signature`, as of Solana's transactions: that of an order is no transaction, and would confirm the swap.
      names: transactionHashNames,
    }),
    field.text("market", "Market used", { names: ["market", "market_used"] }),
    text("response_id", "Archived response (raw.responses); null without a response"),
    text("error_tag", "Cause, if the service did not report the swap"),
    text("error_text", "The service's message, or what happened"),
    extra,
  ],
  example:
    "select requested_at, state, request ->> 'source_token' as source_token, transaction_hash from core.swaps order by requested_at desc",
}

export type SwapState = "sent" | "confirmed" | "refused" | "unknown"

export interface SwapRecord {
  readonly swapId: string
  readonly subaccountAddress: string
  /** Microseconds since 1970 UTC. */
  readonly requestedAt: number
  readonly completedAt: number | null
  readonly state: SwapState
  readonly status: number | null
  /** JSON text. */
  readonly request: string
  readonly responseId: string | null
  readonly errorTag: string | null
  readonly errorText: string | null
  /** The service's record of the swap; empty if there is none (yet). */
  readonly response: JsonObject
}

// An EVM transaction's hash that is not all zeros, or a Solana signature. Stellar's hash, bare hexadecimal digits, looks like
// any digest: a swap that is wrongly confirmed costs more than one that has to be looked up.
const transactionForm = /^0x(?!0{64}$)[0-9a-f]{64}$|^[1-9A-HJ-NP-Za-km-z]{86,88}$/i

const holdsTransaction = (value: unknown): boolean => {
  if (typeof value === "string") return transactionForm.test(value)
  if (Array.isArray(value)) return value.some(holdsTransaction)
  return isJsonObject(value) && Object.values(value).some(holdsTransaction)
}

/**
 * Whether the response carries the transaction hash, as that of an executed swap does (§2.11). The document does not show
 * the field's name, so a text of that form counts under any name.
 */
export const namesTransaction = (response: JsonObject): boolean => {
  const declared = readColumn(response, swaps, "transaction_hash", {})
  return (typeof declared === "string" && declared.trim() !== "") || holdsTransaction(response)
}

/** The row of the journal. It has no lineage, so that a replay does not restore it from the response. */
export const swapRows = (record: SwapRecord): Rows => {
  const { rows } = mapRecords({
    table: swaps,
    records: [record.response],
    source: { lineage: { responseId: "", receivedAt: record.requestedAt } },
    computed: {
      swap_id: record.swapId,
      subaccount_address: record.subaccountAddress,
      requested_at: record.requestedAt,
      completed_at: record.completedAt,
      state: record.state,
      status: record.status,
      request: record.request,
      response_id: record.responseId,
      error_tag: record.errorTag,
      error_text: record.errorText,
    },
    // The journal's own record, whatever the service sent.
    isOpen: true,
  })
  return { ...rows, lineage: null }
}
