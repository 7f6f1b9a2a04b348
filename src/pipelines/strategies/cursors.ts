// How cursors are stored in ops.cursors: JSON with days and instants as text, so that a person can read it.
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import { formatDay, formatInstant, parseDay, parseInstant } from "../../domain/time.ts"

const asText = (parse: (text: string) => number | undefined, format: (value: number) => string) =>
  Schema.String.pipe(
    Schema.decodeTo(Schema.Finite, {
      // Text that can't be parsed becomes NaN, so that the whole cursor is refused.
      decode: SchemaGetter.transform((text) => parse(text) ?? Number.NaN),
      encode: SchemaGetter.transform(format),
    }),
  )

/** Days since 1970. */
export const Day = asText(parseDay, formatDay)

/** Microseconds since 1970 UTC. */
export const Instant = asText(parseInstant, formatInstant)

export interface CursorCodec<A> {
  /** `undefined` if there is none, or none that this version understands: everything is then read again. */
  readonly decode: (stored: unknown) => A | undefined
  readonly encode: (cursor: A) => unknown
}

export const cursorCodec = <A, I>(schema: Schema.Codec<A, I>): CursorCodec<A> => {
  const decode = Schema.decodeUnknownOption(schema)
  return {
    decode: (stored) => Option.getOrUndefined(decode(stored)),
    encode: Schema.encodeSync(schema),
  }
}
