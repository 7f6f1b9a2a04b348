// Simulates how much collateral a loan would need. The POST request changes nothing, so it may be retried.
import { endpoint, type RejectedInput } from "../../Endpoint.ts"
import { address, boolean, inBody, integer, list, number, optional, pair } from "../../Parameter.ts"
import { AnyRecord } from "../records.ts"

/** §7, rule 5: the conditions on combinations of inputs. */
const rule = (inputs: Readonly<Record<string, unknown>>): RejectedInput | undefined => {
  const tokens = inputs["collateral_tokens"] as ReadonlyArray<unknown>
  const shares = inputs["collateral_token_allocation"] as ReadonlyArray<unknown>
  if (tokens.length !== shares.length) {
    return {
      parameter: "collateral_token_allocation",
      detail: `has ${shares.length} entries for ${tokens.length} collateral_tokens; expected the same number`,
    }
  }
  if (inputs["on_platform"] !== true) return undefined
  const missing = (["loan_redeployed_token_chain", "loan_redeployed_token_address"] as const).find(
    (name) => inputs[name] === undefined,
  )
  return missing === undefined
    ? undefined
    : { parameter: missing, detail: "is missing; on_platform true requires it" }
}

export const collateralSimulation = endpoint({
  name: "collateral_simulation",
  title: "Collateral simulation",
  section: "§4.4, §2.6",
  method: "POST",
  path: "/risk/collateral_simulation",
  auth: "admin",
  parameters: {
    loan_token_chain: inBody(integer()),
    loan_token_address: inBody(address()),
    loan_amount: inBody(number({ min: 0 })),
    collateral_tokens: inBody(list(pair(integer(), address()))),
    collateral_token_allocation: inBody(list(number())),
    on_platform: inBody(boolean),
    // The document shows only `loan_redeployed_token_*` (§2.6); the setting wire.names can change the names.
    loan_redeployed_token_chain: inBody(optional(integer())),
    loan_redeployed_token_address: inBody(optional(address())),
  },
  serverCacheSeconds: 60,
  // "other non-2xx: a token lacking a discount factor in a simulation" (§7).
  absences: { "4xx": "unsupported" },
  rule,
  response: AnyRecord,
})
