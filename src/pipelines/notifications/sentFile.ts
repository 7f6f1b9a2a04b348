// What every receiver was sent last, in `notifications.json` of the data directory. The file only
// decides which messages are sent again: one that is missing or damaged counts as empty.
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { problemKinds } from "../../domain/run/problem.ts"
import { writeDurably } from "../../domain/durableFiles.ts"
import { readStateFile } from "../../domain/stateFile.ts"
import { filesError } from "../../load/errors.ts"
import type { Sent } from "./problemChanges.ts"

/** By the receiver's id. */
export type SentByReceiver = ReadonlyMap<string, Sent>

const fileOf = (dataDir: string): string => join(dataDir, "notifications.json")

// On a full disk, a scheduler must not send the same messages after every run.
const unwritten = new Map<string, SentByReceiver>()

export const readSent = (dataDir: string): Effect.Effect<SentByReceiver> =>
  Effect.gen(function* () {
    const kept = unwritten.get(dataDir)
    if (kept !== undefined) return kept
    const lost = "what was sent before is sent again"
    const found = yield* readStateFile(fileOf(dataDir), Schema.decodeUnknownSync(SentFile), lost)
    return new Map(Object.entries(found ?? {}))
  })

export const writeSent = (dataDir: string, sent: SentByReceiver) =>
  Effect.tryPromise({
    try: () => writeDurably(fileOf(dataDir), `${JSON.stringify(Object.fromEntries(sent))}\n`),
    catch: (cause) => filesError("Recording the notifications", cause),
  }).pipe(
    Effect.tap(() => Effect.sync(() => unwritten.delete(dataDir))),
    Effect.tapError(() => Effect.sync(() => unwritten.set(dataDir, sent))),
  )

const SentFile = Schema.Record(
  Schema.String,
  Schema.Struct({
    open: Schema.Array(
      Schema.Struct({
        kind: Schema.Literals(problemKinds),
        subject: Schema.String,
        text: Schema.String,
        advice: Schema.String,
        since: Schema.NullOr(Schema.String),
        sent_at: Schema.String,
      }),
    ),
    messages: Schema.Array(Schema.String),
  }),
)
