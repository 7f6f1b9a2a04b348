// Why a transaction failed, decoded from its trace.
import { endpoint } from "../../Endpoint.ts"
import { integer, text } from "../../Parameter.ts"
import { AnyRecord } from "../records.ts"

export const revertReason = endpoint({
  name: "revert_reason",
  title: "Revert reason",
  section: "§4.1, §2.9",
  method: "GET",
  path: "/revert_reason",
  auth: "public",
  parameters: { transactionHash: text, chain: integer() },
  // If the RPC of the chain can't trace, the service sends a 5xx with an explanation (§4.1, §7), which is final once it
  // has been repeated. A 5xx without an explanation is an unexpected failure (§7) and may be temporary. For a valid
  // hash and chain, 404 can only mean "not found", and 400 and 422 "not supported".
  absences: {
    400: "unsupported",
    404: "empty",
    422: "unsupported",
    501: "unsupported",
    "5xx with detail": "unsupported",
  },
  // The service traces the transaction during the request.
  attemptSeconds: 120,
  response: AnyRecord,
})
