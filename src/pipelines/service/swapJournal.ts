// The journal of swaps, from the warehouse itself: the latest swaps are not published yet.
import * as Effect from "effect/Effect"
import { Warehouse } from "../../load/Warehouse.ts"
import { openWarehouse, type Place, placeOf, warehouseExists } from "../publication/warehouse.ts"
import type { SwapOutcome } from "./swap.ts"

export interface JournalledSwap {
  readonly swapId: string
  readonly subaccount: string
  readonly requestedAt: string
  /** `sent`: another process is sending it, or waits for the response. */
  readonly state: SwapOutcome["state"] | "sent"
  readonly request: Readonly<Record<string, unknown>>
  readonly status: number | null
  readonly transactionHash: string | null
  readonly error: string | null
}

const journal = `
  select swap_id, subaccount_address, requested_at, state, request::varchar as request, status,
    transaction_hash, error_text, _run_id as run_id
  from core.swaps order by requested_at desc`

/**
 * Newest first. Does not wait for the lock: the process that holds it may be sending a swap. In a lake, where each machine has a
 * lock of its own, another may be sending one.
 */
export const readSwaps = Effect.fnUntraced(function* (place: Place) {
  if (!(yield* warehouseExists(place))) return []
  const read = Effect.gen(function* () {
    const { rows, isRunning } = yield* Warehouse
    const ended = new Set<unknown>()
    for (const { state, run_id } of yield* rows(journal)) {
      if (state === "sent" && !(yield* isRunning(String(run_id)))) ended.add(run_id)
    }
    // Read again: a process records the outcome before it ends.
    return (yield* rows(journal)).map((row) =>
      row["state"] === "sent" && ended.has(row["run_id"])
        ? { ...swapOf(row), ...NO_RESPONSE }
        : swapOf(row),
    )
  })
  return yield* Effect.provide(read, openWarehouse({ ...placeOf(place), runId: "swaps" }))
})

const NO_RESPONSE = {
  state: "unknown",
  error: "the process ended before a response was recorded",
} as const

const swapOf = (row: Readonly<Record<string, unknown>>): JournalledSwap => ({
  swapId: String(row["swap_id"]),
  subaccount: String(row["subaccount_address"]),
  requestedAt: String(row["requested_at"]),
  state: row["state"] as JournalledSwap["state"],
  request: JSON.parse(String(row["request"])) as JournalledSwap["request"],
  status: row["status"] === null ? null : Number(row["status"]),
  transactionHash: row["transaction_hash"] === null ? null : String(row["transaction_hash"]),
  error: row["error_text"] === null ? null : String(row["error_text"]),
})
