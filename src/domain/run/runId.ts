// The id of a run.
import { randomBytes } from "node:crypto"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { formatInstant, microsFromMillis } from "../values/time.ts"

/** Sorts by start, to the millisecond; the suffix keeps two starts of one millisecond apart. */
export const newRunId = Effect.map(Clock.currentTimeMillis, (now) => {
  const start = formatInstant(microsFromMillis(now)).slice(0, 23).replace(/[-:.]/g, "")
  return `${start}Z-${randomBytes(3).toString("hex")}`
})
