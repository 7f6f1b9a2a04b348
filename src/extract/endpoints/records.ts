// Response schemas that several endpoints share. A schema says where the records of a response are; the columns of
// tables (`documented`) say which fields a record must have, so that one bad record does not reject the whole response.
import * as Schema from "effect/Schema"
import { isJsonObject, type JsonObject } from "../../domain/values/json.ts"

export const AnyRecord: Schema.Codec<JsonObject> = Schema.Record(Schema.String, Schema.Unknown)

const containsRecords = Schema.makeFilter<ReadonlyArray<unknown>>(
  (list) => list.length === 0 || list.some(isJsonObject) || "Expected records",
  { toJsonSchema: () => ({ items: { type: "object" } }) },
)

/** A list that is empty or contains at least one record; the mapping rejects elements that are not records. */
export const AnyRecords = Schema.Array(Schema.Unknown).check(
  containsRecords,
) as unknown as Schema.Codec<ReadonlyArray<JsonObject>>
