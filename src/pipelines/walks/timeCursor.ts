// How the cursor of a walk by time stands in ops.cursors: instants as text, so that a person can read it.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { formatInstant, parseInstant } from "../../domain/time.ts"
import type { TimeCursor } from "../../extract/paginators/timeWindows.ts"

const Instant = Schema.NullOr(Schema.String)

const Stored = Schema.Struct({
  through: Instant,
  from: Instant,
  largest: Schema.Finite,
  walk: Schema.NullOr(Schema.Struct({ from: Instant, to: Instant, newest: Instant })),
})

const decode = Schema.decodeUnknownResult(Stored)

/** Absent ones are open; one that can't be read makes the whole cursor one of another version. */
const read = (text: string | null): Result.Result<number | undefined, "unreadable"> => {
  if (text === null) return Result.succeed(undefined)
  const micros = parseInstant(text)
  return micros === undefined ? Result.fail("unreadable") : Result.succeed(micros)
}

/** `undefined` where there is none yet, or none this version understands: everything is read anew. */
export const readTimeCursor = (stored: unknown): TimeCursor | undefined => {
  const decoded = decode(stored)
  if (Result.isFailure(decoded)) return undefined
  const { through, from, largest, walk } = decoded.success
  const cursor = Result.gen(function* () {
    return {
      through: yield* read(through),
      from: yield* read(from),
      largest,
      walk:
        walk === null
          ? undefined
          : {
              from: yield* read(walk.from),
              to: yield* read(walk.to),
              newest: yield* read(walk.newest),
            },
    }
  })
  return Result.isSuccess(cursor) ? cursor.success : undefined
}

const write = (micros: number | undefined): string | null =>
  micros === undefined ? null : formatInstant(micros)

export const writeTimeCursor = ({ through, from, largest, walk }: TimeCursor): unknown => ({
  through: write(through),
  from: write(from),
  largest,
  walk:
    walk === undefined
      ? null
      : { from: write(walk.from), to: write(walk.to), newest: write(walk.newest) },
})
