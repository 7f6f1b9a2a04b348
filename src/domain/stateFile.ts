// Small JSON files of the data directory that only say what is known: one that is damaged counts as missing, and whoever
// wrote it writes it again.
import { readFile } from "node:fs/promises"
import * as Effect from "effect/Effect"

/**
 * What a file holds; `undefined` where there is none, or none that `decode` accepts, which is then logged. `lost`: what
 * follows from that, as in `health.json is damaged, so <lost>`.
 */
export const readStateFile = <A>(
  file: string,
  decode: (value: unknown) => A,
  lost: string,
): Effect.Effect<A | undefined> =>
  Effect.gen(function* () {
    const text = yield* Effect.promise(() => readFile(file, "utf8").catch(() => undefined))
    if (text === undefined) return undefined
    return yield* Effect.try(() => decode(JSON.parse(text))).pipe(
      Effect.catch(() => Effect.as(Effect.logWarning(`${file} is damaged, so ${lost}`), undefined)),
    )
  })
