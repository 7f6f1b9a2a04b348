// The journal of swaps, from the warehouse itself: the latest swaps are not published yet.
import * as Effect from "effect/Effect"
import { Warehouse } from "../../load/Warehouse.ts"
import { openWarehouse, type Place, placeOf, warehouseExists } from "../publication/warehouse.ts"
import type { SwapOutcome } from "./swap.ts"

export interface JournalledSwap {
  readonly swapId: string
  readonly subaccount: string
  readonly requestedAt: string
  readonly state: SwapOutcome["state"]
  readonly request: Readonly<Record<string, unknown>>
  readonly status: number | null
  readonly transactionHash: string | null
  readonly error: string | null
}

const journal = `
  select swap_id, subaccount_address, requested_at, state, request::varchar as request, status,
    transaction_hash, error_text
  from core.swaps order by requested_at desc`

/** Newest first. Does not wait for the lock: the process that holds it may be sending a swap. */
export const readSwaps = Effect.fnUntraced(function* (place: Place) {
  if (!(yield* warehouseExists(place))) return []
  return yield* Effect.flatMap(Warehouse, (warehouse) => warehouse.rows(journal)).pipe(
    Effect.map((rows) => rows.map(swapOf)),
    Effect.provide(openWarehouse({ ...placeOf(place), runId: "swaps" })),
  )
})

/** The process of a swap still in state `sent` has ended, since this process holds the lock. */
const swapOf = (row: Readonly<Record<string, unknown>>): JournalledSwap => ({
  swapId: String(row["swap_id"]),
  subaccount: String(row["subaccount_address"]),
  requestedAt: String(row["requested_at"]),
  state: row["state"] === "sent" ? "unknown" : (row["state"] as JournalledSwap["state"]),
  request: JSON.parse(String(row["request"])) as JournalledSwap["request"],
  status: row["status"] === null ? null : Number(row["status"]),
  transactionHash: row["transaction_hash"] === null ? null : String(row["transaction_hash"]),
  error:
    row["state"] === "sent"
      ? "the process ended before a response was recorded"
      : row["error_text"] === null
        ? null
        : String(row["error_text"]),
})
