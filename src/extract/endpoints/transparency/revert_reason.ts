// Why a transaction failed, decoded from a trace of it.
import * as Schema from "effect/Schema"
import { endpoint } from "../../Endpoint.ts"
import { integer, text } from "../../Parameter.ts"

export const revertReason = endpoint({
  name: "revert_reason",
  title: "Revert reason",
  section: "§4.1, §2.9",
  method: "GET",
  path: "/revert_reason",
  auth: "public",
  parameters: { transactionHash: text, chain: integer() },
  // A chain whose RPC cannot trace answers with a 5xx (§7); 501 says that it never will, the others may pass.
  absences: { 501: "unsupported" },
  // The service traces the transaction while we wait.
  attemptSeconds: 120,
  response: Schema.Struct({ revert_reasons: Schema.Array(Schema.Unknown) }),
})
