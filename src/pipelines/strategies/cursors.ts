// How cursors are stored in ops.cursors: JSON with days and instants as text, so that a person can read it.
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import { formatDay, formatInstant, parseDay, parseInstant } from "../../domain/values/time.ts"
import type { Page } from "./readPage.ts"

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

/**
 * The day through which a stored cursor says that everything was read: today at most. `undefined` if it lies ahead by more than
 * clocks are apart at midnight: earlier versions took it from a value dated in the future, and since when they read no other
 * values is unknown.
 */
export const trustedThrough = (through: number, today: number): number | undefined =>
  through > today + 1 ? undefined : Math.min(through, today)

/** Microseconds since 1970 UTC. */
export const Instant = asText(parseInstant, formatInstant)

/**
 * The field `leftInQuarantine` of a cursor that passes rejected records: when the last response was received of which runs
 * that go on from it request nothing again. Null if there is none. The runner and resolved_quarantine.sql know it by this name,
 * whichever pipeline's cursor it is in.
 */
export const LeftInQuarantine = Schema.NullOr(Instant)

/** A stored cursor that leaves the response received then in quarantine, too. */
export const leaving = (cursor: unknown, receivedAt: number): unknown => {
  const decoded = decodeLeft(cursor)
  if (Option.isNone(decoded)) return cursor
  const { leftInQuarantine } = decoded.value
  const left = Math.max(leftInQuarantine ?? -Infinity, receivedAt)
  return { ...decoded.value, leftInQuarantine: formatInstant(left) }
}

const decodeLeft = Schema.decodeUnknownOption(
  Schema.StructWithRest(Schema.Struct({ leftInQuarantine: LeftInQuarantine }), [
    Schema.Record(Schema.String, Schema.Unknown),
  ]),
)

/** What the cursor leaves after a page, if it left `left` before it. */
export const leftAfter = (
  left: number | null,
  { rejected, responses }: Pick<Page<unknown>, "rejected" | "responses">,
): number | null =>
  rejected.length === 0
    ? left
    : Math.max(left ?? -Infinity, responses.at(-1)?.receivedAt ?? -Infinity)

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
