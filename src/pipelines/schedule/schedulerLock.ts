// One scheduler per data directory: a second one waits until the first is gone, then takes over.
import * as Duration from "effect/Duration"
import { lockOf } from "../../load/lock/waitForLock.ts"

/** Holds the lock until the scope closes. Without `onWait`, fails if another scheduler has it. */
export const schedulerLock = (dataDir: string, onWait?: (text: string) => void) =>
  lockOf(
    dataDir,
    "scheduler",
    onWait === undefined
      ? {}
      : {
          wait: Duration.infinity,
          onWait: ({ who }) =>
            onWait(`${who} schedules runs for ${dataDir}; waiting until it is gone`),
        },
  )
