// The last run in a file of its own: a run without news publishes nothing, and still is worth knowing of.
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { writeDurably } from "../../load/durableFiles.ts"
import { filesError, type LoadError } from "../../load/errors.ts"
import type { RunSummary } from "./progress.ts"

export interface LastRun {
  readonly runId: string
  readonly finishedAt: string
  readonly outcome: RunSummary["outcome"]
  readonly requests: number
  readonly rowsInserted: number
  readonly rowsRevised: number
  readonly seconds: number
}

const fileOf = (dataDir: string): string => join(dataDir, "last-run.json")

export const writeLastRun = (
  dataDir: string,
  summary: RunSummary,
  finishedAt: string,
): Effect.Effect<void, LoadError> => {
  const { runId, outcome, requests, rowsInserted, rowsRevised, seconds } = summary
  const last: LastRun = { runId, finishedAt, outcome, requests, rowsInserted, rowsRevised, seconds }
  return Effect.tryPromise({
    try: () => writeDurably(fileOf(dataDir), `${JSON.stringify(last)}\n`),
    catch: (cause) => filesError("Recording the run", cause),
  })
}

/** `undefined` before the first run that ended. */
export const readLastRun = (dataDir: string): Effect.Effect<LastRun | undefined> =>
  Effect.promise(() =>
    readFile(fileOf(dataDir), "utf8").then(
      (text) => JSON.parse(text) as LastRun,
      () => undefined,
    ),
  )
