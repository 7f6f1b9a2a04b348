// The id that takes the place of a run's in the records of commands that are not runs, such as `check` or `publish`.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { formatInstant, microsFromMillis } from "../values/time.ts"

/** The command and the time; never the id of a run. */
export const commandId = (command: string): Effect.Effect<string> =>
  Effect.map(
    Clock.currentTimeMillis,
    (now) => `${command}-${formatInstant(microsFromMillis(now)).replace(/[-:]/g, "")}`,
  )
