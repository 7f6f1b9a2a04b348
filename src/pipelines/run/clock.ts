// If the machine's clock is far ahead, a run loads nothing: its rows would be dated after those of all later runs.
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { SECONDS_PER_DAY } from "../../domain/values/time.ts"
import { ApiClient } from "../../extract/ApiClient.ts"
import { literal } from "../../load/sql/sql.ts"
import { Warehouse } from "../../load/Warehouse.ts"

// A wrong year. Later runs make up for a smaller error, because they are dated after all that is stored.
const MAX_SECONDS_AHEAD = 365 * SECONDS_PER_DAY

export class ClockAhead extends Data.TaggedError("ClockAhead")<{
  /** Milliseconds since 1970 UTC, by this machine. */
  readonly now: number
  readonly secondsAhead: number
}> {
  override get message(): string {
    const days = Math.floor(this.secondsAhead / SECONDS_PER_DAY)
    return (
      `This machine's clock says ${new Date(this.now).toISOString()}, ${days} days ahead of the service's. ` +
      "Nothing was loaded: rows would be dated after those of all later runs. Set the clock, then run again."
    )
  }
}

/** Compares this machine's clock with the date of the latest response. */
export const checkClock = Effect.gen(function* () {
  const skew = yield* (yield* ApiClient).clockSkewSeconds
  if (skew === undefined || skew > -MAX_SECONDS_AHEAD) return
  return yield* new ClockAhead({ now: yield* Clock.currentTimeMillis, secondsAhead: -skew })
})

/** Removes what a run with a wrong clock has recorded about itself: later runs are dated after all that is stored. */
export const forgetRun = Effect.fnUntraced(function* (runId: string) {
  const tables = ["tasks", "runs", "partition_changes"]
  yield* (yield* Warehouse).execute(
    tables.map((table) => `delete from ops.${table} where run_id = ${literal(runId)}`),
  )
})
