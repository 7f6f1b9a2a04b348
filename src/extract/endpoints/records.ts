// Shapes several endpoints share. A struct lists only what the document names; everything else a record
// holds stays in it (unknown fields are neither required nor lost).
import * as Schema from "effect/Schema"
import type { JsonObject } from "../../domain/json.ts"

/** A record of which the document names no field for certain. */
export const AnyRecord: Schema.Codec<JsonObject> = Schema.Record(Schema.String, Schema.Unknown)

export const AnyRecords = Schema.Array(AnyRecord)
