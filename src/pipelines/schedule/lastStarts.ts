// When each group last started, in `<data-dir>/schedule.json`: what a restarted scheduler continues from.
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { writeDurably } from "../../domain/durableFiles.ts"
import { readStateFile } from "../../domain/stateFile.ts"
import { LoadError } from "../../load/errors.ts"
import { writeReason } from "../../domain/values/fileReason.ts"
import type { LastStarts } from "./groups.ts"

const fileOf = (dataDir: string): string => join(dataDir, "schedule.json")

/** Without a group that never ran or whose start can't be read: it is due then. */
export const readLastStarts = (dataDir: string): Effect.Effect<LastStarts> =>
  Effect.map(
    readStateFile(fileOf(dataDir), decodeStarts, "every group counts as due"),
    (found = {}) => {
      const starts = Object.entries(found).map(
        ([name, at]) => [name, Date.parse(String(at))] as const,
      )
      return new Map(starts.filter(([, at]) => !Number.isNaN(at)))
    },
  )

const decodeStarts = Schema.decodeUnknownSync(Schema.Record(Schema.String, Schema.Unknown))

export const writeLastStarts = (
  dataDir: string,
  lastStarts: LastStarts,
): Effect.Effect<void, LoadError> => {
  const starts = [...lastStarts].map(([name, at]) => [name, new Date(at).toISOString()])
  return Effect.tryPromise({
    try: () => writeDurably(fileOf(dataDir), `${JSON.stringify(Object.fromEntries(starts))}\n`),
    catch: (cause) =>
      new LoadError({
        reason: "Files",
        what: `Recording what has run in ${fileOf(dataDir)}`,
        why: writeReason(cause),
        advice: "Until that is recorded, a scheduler that starts runs it again.",
        cause,
      }),
  })
}
