// What stands for a run in the records of a command that makes none, such as `check` or `publish`.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { formatInstant, microsFromMillis } from "../domain/time.ts"

/** The command and the instant: sorts by time, and is no run's. */
export const commandId = (command: string): Effect.Effect<string> =>
  Effect.map(
    Clock.currentTimeMillis,
    (now) => `${command}-${formatInstant(microsFromMillis(now)).replace(/[-:]/g, "")}`,
  )
