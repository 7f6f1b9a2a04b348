// What a transaction that commits batches notes for other processes: the extents and keys of its rows, so that these know
// what is stored without reading it again.
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Extent } from "../merge/seriesExtent.ts"

/** Tables are named as `schema.name`. */
export interface Note {
  /** `undefined` stands for rows of which the extent is not known. */
  readonly extents: ReadonlyArray<readonly [table: string, ReadonlyArray<Extent | undefined>]>
  /** Of vaulthouse's own tables; `undefined` where only the one who writes a key can need it. */
  readonly keys: ReadonlyArray<readonly [table: string, ReadonlyArray<string> | undefined]>
}

const stored = Schema.Struct({
  columns: Schema.String,
  series: Schema.String,
  from: Schema.Finite,
  to: Schema.Finite,
})

const decode = Schema.decodeUnknownOption(
  Schema.fromJsonString(
    Schema.Struct({
      // Raised when the meaning changes: a process of another version learns nothing from the note.
      format: Schema.Literal(1),
      extents: Schema.Array(Schema.Tuple([Schema.String, Schema.Array(Schema.NullOr(stored))])),
      keys: Schema.Array(Schema.Tuple([Schema.String, Schema.NullOr(Schema.Array(Schema.String))])),
    }),
  ),
)

export const noteText = ({ extents, keys }: Note): string =>
  JSON.stringify({
    format: 1,
    extents: extents.map(([table, each]) => [
      table,
      each.map((extent) =>
        Number.isFinite(extent?.from) && Number.isFinite(extent?.to) ? extent : null,
      ),
    ]),
    keys: keys.map(([table, each]) => [table, each ?? null]),
  })

/** `undefined` if it is no note of this version. */
export const parseNote = (text: string): Note | undefined => {
  const found = Option.getOrUndefined(decode(text))
  return (
    found && {
      extents: found.extents.map(([table, each]) => [
        table,
        each.map((extent) => extent ?? undefined),
      ]),
      keys: found.keys.map(([table, each]) => [table, each ?? undefined]),
    }
  )
}
