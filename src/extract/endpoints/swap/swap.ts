// Swaps tokens of a subaccount. It is the only endpoint that changes something, so it is never retried.
import { endpoint } from "../../Endpoint.ts"
import {
  address,
  inBody,
  inPath,
  integer,
  list,
  number,
  optional,
  text,
  token,
} from "../../Parameter.ts"
import { AnyRecord } from "../records.ts"

export const swap = endpoint({
  name: "swap",
  title: "Swap",
  section: "§4.3, §2.11",
  method: "POST",
  path: "/subaccounts/{address}/swaps",
  auth: "key",
  unsafe: true,
  parameters: {
    address: inPath(address("evm")),
    source_token: inBody(token),
    // The document does not show which chains are allowed (§2.11); the service rejects the others.
    source_chain: inBody(integer()),
    destination_token: inBody(token),
    destination_chain: inBody(integer()),
    source_amount: inBody(optional(number({ above: 0 }))),
    destination_amount: inBody(optional(number({ above: 0 }))),
    markets: inBody(optional(list(text, { mayBeEmpty: true }))),
    // Basis points; 10 by default (§8).
    max_slippage: inBody(optional(number({ min: 0 }))),
  },
  // A swap is executed on chain, which takes longer than a read; after a timeout its outcome would be unknown.
  attemptSeconds: 180,
  response: AnyRecord,
})
