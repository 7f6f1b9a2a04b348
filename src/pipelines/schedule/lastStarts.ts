// When each group last started, in `<data-dir>/schedule.json`: what a restarted scheduler continues from.
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { writeDurably } from "../../domain/durableFiles.ts"
import { LoadError } from "../../load/errors.ts"
import { writeReason } from "../../domain/values/fileReason.ts"
import type { LastStarts } from "./groups.ts"

const fileOf = (dataDir: string): string => join(dataDir, "schedule.json")

/** Without a group that never ran or whose start can't be read: it is due then. */
export const readLastStarts = (dataDir: string): Effect.Effect<LastStarts> =>
  Effect.promise(async () => {
    const text = await readFile(fileOf(dataDir), "utf8").catch(() => "{}")
    const starts = Object.entries(startsIn(text)).map(
      ([name, at]) => [name, Date.parse(at)] as const,
    )
    return new Map(starts.filter(([, at]) => !Number.isNaN(at)))
  })

const startsIn = (text: string): Record<string, string> => {
  try {
    return (JSON.parse(text) ?? {}) as Record<string, string>
  } catch {
    return {}
  }
}

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
