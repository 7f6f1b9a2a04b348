// Sends notifications at the end of a run; they can neither fail it nor delay it for long.
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type { Config } from "../../../config/Config.ts"
import type { RunEnd } from "../../../pipelines/notifications/notify.ts"
import { warn } from "../../terminal/complaints.ts"
import { exitCodeOf, exitCodes } from "../../parse/exit.ts"
import { causeMessage } from "../../../domain/values/causeMessage.ts"

export const notifyAfterRun = (
  { settings: { notify: receivers, dataDir }, apiKey, proxies }: Config,
  end: RunEnd,
): Effect.Effect<void> =>
  Effect.gen(function* () {
    if (receivers.length === 0) return
    const { notify } = yield* Effect.promise(
      () => import("../../../pipelines/notifications/notify.ts"),
    )
    const options = { receivers, dataDir, apiKey, proxies }
    for (const { receiver, state, detail } of yield* notify(options, end)) {
      if (state === "failed") {
        warn(`${receiver} was not notified: ${detail}; the next run tries again`)
      }
    }
  }).pipe(
    Effect.catchCause((cause) =>
      Cause.hasInterrupts(cause)
        ? Effect.interrupt
        : Effect.sync(() => warn(`notifications failed: ${messageOf(cause)}`)),
    ),
  )

/** Notifies of a run that ended with an error. `isWaiting`: it waits for another run to release the warehouse. */
export const notifyAfterError = (
  config: Config,
  cause: Cause.Cause<unknown>,
  isWaiting: boolean,
): Effect.Effect<void> =>
  shouldHaveRun(cause, isWaiting)
    ? notifyAfterRun(config, { error: messageOf(cause) })
    : Effect.void

/** False if the run was stopped, the command line was wrong, or another run is in progress. */
const shouldHaveRun = (cause: Cause.Cause<unknown>, isWaiting: boolean): boolean => {
  if (Cause.hasInterrupts(cause)) return false
  const code = exitCodeOf(Cause.squash(cause))
  return code !== exitCodes.usage && (code !== exitCodes.locked || isWaiting)
}

const messageOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return causeMessage(error)
}
