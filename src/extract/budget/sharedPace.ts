// The pace that several processes share, as it is stored.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Pace } from "./Pace.ts"
import { MAX_PAUSE_MILLIS, type PaceOptions, PaceState, rememberedState } from "./PaceState.ts"
import type { StoredPace } from "./PaceStore.ts"

// A process counts as sending requests for this long after its last exchange.
const PRESENT_MILLIS = 2000
// A pace that no process has used for this long is what an earlier run has learnt.
const EARLIER_MILLIS = 60_000
// Times of the store's clock that lie further in the future show that it was set back.
export const AHEAD_OF_CLOCK_MILLIS = 1000

const Shared = Schema.Struct({
  pace: PaceState,
  /** The time of each process's last exchange. */
  processes: Schema.Record(Schema.String, Schema.Number),
})
const SharedJson = Schema.fromJsonString(Schema.toCodecJson(Shared))
const decode = Schema.decodeUnknownResult(SharedJson)
export const encodeShared = Schema.encodeSync(SharedJson)

/**
 * The stored pace and the processes that use it. If it can't be decoded (perhaps from another version), it is learnt
 * again. If its times lie in the future (the database's clock was set back), what it has learnt is kept, as after an earlier run.
 */
export const readShared = (options: PaceOptions, { state, now }: StoredPace) => {
  const found = state === undefined ? undefined : Result.getOrUndefined(decode(state))
  const pausedUntil = found?.pace.pausedUntil ?? 0
  const processes = Object.entries(found?.processes ?? {})
  const usedAt = Math.max(pausedUntil, ...processes.map(([, at]) => at))
  const isSetBack =
    pausedUntil > now + MAX_PAUSE_MILLIS ||
    processes.some(([, at]) => at > now + AHEAD_OF_CLOCK_MILLIS)
  const isEarlier = isSetBack || now - usedAt > EARLIER_MILLIS
  const earlier = found === undefined ? undefined : new Pace(options, found.pace).learnt(usedAt)
  return {
    pace: new Pace(
      options,
      isEarlier && earlier !== undefined ? rememberedState(options, earlier, now) : found?.pace,
    ),
    present: Object.fromEntries(
      processes.filter(([, at]) => !isEarlier && now - at < PRESENT_MILLIS),
    ),
  }
}
