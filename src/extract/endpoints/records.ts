// Shapes that several endpoints share. A schema says where the records of a response are. Columns (`documented`) say
// which fields a record must have, so that a record that breaks the contract is rejected alone.
import * as Schema from "effect/Schema"
import { isJsonObject, type JsonObject } from "../../domain/json.ts"

export const AnyRecord: Schema.Codec<JsonObject> = Schema.Record(Schema.String, Schema.Unknown)

const holdsRecords = Schema.makeFilter<ReadonlyArray<unknown>>(
  (list) => list.length === 0 || list.some(isJsonObject) || "Expected records",
  { toJsonSchema: () => ({ items: { type: "object" } }) },
)

/** A list with at least one record, unless it is empty; the mapping rejects other elements. */
export const AnyRecords = Schema.Array(Schema.Unknown).check(
  holdsRecords,
) as unknown as Schema.Codec<ReadonlyArray<JsonObject>>
