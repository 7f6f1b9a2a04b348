// How each position of a vault is priced, from its newest daily snapshot.
import * as Schema from "effect/Schema"
import type { JsonObject } from "../../../domain/values/json.ts"
import { endpoint } from "../../Endpoint.ts"
import { address, inPath, integer } from "../../Parameter.ts"

export interface OracleClassification extends JsonObject {
  readonly warnings: ReadonlyArray<unknown>
}

// The document shows only this name (§2.9); the table declares the shapes of the classified records.
const Response: Schema.Codec<OracleClassification, unknown> = Schema.Struct({
  warnings: Schema.Array(Schema.Unknown),
})

export const oracleClassification = endpoint({
  name: "oracle_classification",
  title: "Oracle classification",
  section: "§4.1, §2.9",
  method: "GET",
  path: "/platform/oracle_classification/{vault_address}",
  auth: "public",
  parameters: { vault_address: inPath(address()), chainId: integer() },
  // §7: 404 for a missing vault or snapshot.
  absences: { 404: "empty", 422: "unsupported" },
  response: Response,
})
