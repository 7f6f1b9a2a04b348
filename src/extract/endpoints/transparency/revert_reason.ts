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
  // A chain whose RPC cannot trace answers with a 5xx whose detail explains (§4.1, §7): believed when the same
  // words come again. One without a word is the unexpected failure of the same row, and may pass. §7 lists nothing
  // else; of a valid hash and chain 404 can only mean that it is not found, 400 and 422 that it is not taken.
  absences: {
    400: "unsupported",
    404: "empty",
    422: "unsupported",
    501: "unsupported",
    "5xx with detail": "unsupported",
  },
  // The service traces the transaction while we wait.
  attemptSeconds: 120,
  response: Schema.Struct({ revert_reasons: Schema.Array(Schema.Unknown) }),
})
