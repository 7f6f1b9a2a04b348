// POST /risk/collateral_simulation (§2.6): how much collateral a loan would need. Changes nothing.
import { kindOf } from "../values/addresses.ts"
import { iso } from "../values/calendar.ts"
import { factorFor, ladderOf } from "../generate/discounts.ts"
import { rounded } from "../values/noise.ts"
import { Body } from "../call/body.ts"
import { ApiError } from "../call/errors.ts"
import type { Call } from "../call/row.ts"

/** The minimum healthy factor, the server's default for collateral solving (§2.3). */
const healthy = 1.2

const pairOf = (body: Body, pair: unknown): readonly [number, string] => {
  if (Array.isArray(pair) && pair.length === 2) {
    const [chain, address] = pair as [unknown, unknown]
    if (Number.isSafeInteger(chain) && typeof address === "string" && kindOf(address) === "evm") {
      return [chain as number, address]
    }
  }
  throw body.fail("collateral_tokens", "Should be [chain id, token address] pairs")
}

const inputOf = (call: Call) => {
  const body = new Body(call.body)
  body.integer("loan_token_chain")
  if (kindOf(body.text("loan_token_address")) !== "evm") {
    throw body.fail("loan_token_address", "Invalid EVM address")
  }
  const amount = body.number("loan_amount")
  if (amount === undefined || amount < 0) throw body.fail("loan_amount", "Should not be negative")
  const tokens = body.list("collateral_tokens").map((pair) => pairOf(body, pair))
  const shares = body.list("collateral_token_allocation")
  if (tokens.length === 0 || tokens.length !== shares.length) {
    throw body.fail("collateral_token_allocation", "Should be as long as collateral_tokens")
  }
  if (!shares.every((share): share is number => typeof share === "number" && share >= 0)) {
    throw body.fail("collateral_token_allocation", "Should be numbers")
  }
  // The exact names of these two are not shown (§2.6).
  for (const name of ["loan_redeployed_token_chain", "loan_redeployed_token_address"]) {
    if (body.flag("on_platform") && !body.has(name)) {
      throw body.fail(name, "Field required with on_platform")
    }
  }
  return { amount, tokens, shares }
}

export const collateralSimulation = (call: Call): unknown => {
  const { amount, tokens, shares } = inputOf(call)
  const total = shares.reduce((sum, share) => sum + share, 0) || 1
  const counted = tokens.map(([chain, address], index) => {
    const ladder = ladderOf(call.world, chain, address)
    // §7: "other non-2xx".
    if (ladder === undefined) throw new ApiError(400, `Token ${address} has no discount factor`)
    const share = shares[index]! / total
    return { ladder, share, factor: factorFor(ladder, amount * share) }
  })
  const effective = counted.reduce((sum, { share, factor }) => sum + share * factor, 0)
  const required = (amount * healthy) / (effective || 1)
  return {
    total_debt_usd: amount,
    total_required_collateral_usd: rounded(required, 2),
    resulting_health_factor: healthy,
    tokens: counted.map(({ ladder, share, factor }) => ({
      chain: ladder.chain,
      address: ladder.address,
      symbol: ladder.symbol,
      effective_discount_factor: factor,
      required_usd: rounded(required * share, 2),
    })),
    calculated_at: iso(call.clock),
  }
}
