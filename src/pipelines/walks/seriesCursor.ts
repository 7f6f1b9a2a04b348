// How the cursor of a dated series stands in ops.cursors: days as text, so that a person can read it.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { formatDay, parseDay } from "../../domain/time.ts"
import type { SeriesCursor } from "../../extract/paginators/dateWindow.ts"

const Stored = Schema.Struct({
  through: Schema.String,
  from: Schema.String,
  complete: Schema.Boolean,
})

const decode = Schema.decodeUnknownResult(Stored)

/** `undefined` where there is none yet, or none this version understands: the series is read anew. */
export const readSeriesCursor = (stored: unknown): SeriesCursor | undefined => {
  const decoded = decode(stored)
  if (Result.isFailure(decoded)) return undefined
  const through = parseDay(decoded.success.through)
  const from = parseDay(decoded.success.from)
  return through === undefined || from === undefined
    ? undefined
    : { through, from, complete: decoded.success.complete }
}

export const writeSeriesCursor = (cursor: SeriesCursor): unknown => ({
  through: formatDay(cursor.through),
  from: formatDay(cursor.from),
  complete: cursor.complete,
})
