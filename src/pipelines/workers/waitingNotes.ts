// What a planner reports while no worker is alive.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { unfinishedRun } from "./sharedRun.ts"
import type { OnProgress } from "../model/progress.ts"

const PATIENCE_MILLIS = 2000
const REPEATED_MILLIS = 60_000

/** Called at every poll: reports since when no worker is running, first after two seconds, then every minute. */
export const waitingNotes = (onProgress: OnProgress) => {
  let since: number | undefined
  let lookedAt = 0
  let reportedAt = 0
  return Effect.fnUntraced(function* (isNews: boolean) {
    const now = yield* Clock.currentTimeMillis
    if (isNews) since = undefined
    if (isNews || now < lookedAt + PATIENCE_MILLIS) return
    lookedAt = now
    if (((yield* unfinishedRun())?.workers ?? 0) > 0) {
      since = undefined
      return
    }
    since ??= now
    if (now < since + PATIENCE_MILLIS || now < reportedAt + REPEATED_MILLIS) return
    reportedAt = now
    const time = new Date(since).toISOString().slice(0, 19).replace("T", " ")
    onProgress({
      kind: "waiting",
      text: `waiting for workers since ${time}Z: none is running; \`vaulthouse worker\` on any machine starts one`,
    })
  })
}
