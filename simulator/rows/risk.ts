// Rows of §4.4 about risk and for admins: collateral, discount-factor ladders, loans, OTC.
import { kindOf, addressKey } from "../values/addresses.ts"
import { iso } from "../values/calendar.ts"
import { factorFor, ladderOf, laddersOf } from "../generate/discounts.ts"
import { allLoans, debtAndCredit } from "../generate/loans.ts"
import { rounded } from "../values/noise.ts"
import { allOtcPositions, marginRequirements } from "../generate/otc.ts"
import { holdingsOf } from "../generate/subaccounts.ts"
import { invalid, notFound } from "../call/errors.ts"
import type { Call, Row } from "../call/row.ts"
import { subaccountBy } from "../call/subject.ts"
import { collateralSimulation } from "./collateral-simulation.ts"

const excessOrDeficit = (call: Call): unknown => {
  const { query, world } = call
  const address = query.required("subaccountAddress")
  const tokenAddress = query.required("tokenAddress")
  if (kindOf(tokenAddress) !== "evm") {
    throw invalid("query", "tokenAddress", "Invalid EVM address")
  }
  const tokenChain = query.requiredInteger("tokenChain")
  const target = query.number("targetHealthFactor") ?? 1.2
  if (target <= 0) throw invalid("query", "targetHealthFactor", "Input should be above 0")
  const ladder = ladderOf(world, tokenChain, tokenAddress)
  if (ladder === undefined) throw notFound(`Token ${tokenAddress} has no discount factor`)
  const owner = subaccountBy(call, address)
  const { debt } = debtAndCredit(world, owner)
  // All zeroes when the subaccount has no debt (§2.6).
  const spare = debt === 0 ? 0 : holdingsOf(owner, world.nowMs) * 0.85 - debt * target
  const usd = spare / (debt === 0 ? 1 : factorFor(ladder, Math.abs(spare)))
  const price = ladder.symbol.startsWith("USD") ? 1 : 2600
  return {
    amount_usd: rounded(usd, 2),
    token_amount: rounded(usd / price, 8),
    token_address: ladder.address,
    token_chain: ladder.chain,
    target_health_factor: target,
    calculated_at: iso(call.clock),
  }
}

const loanBook = ({ world }: Call): unknown =>
  allLoans(world)
    .filter((loan) => loan.owner.status === "active")
    .map((loan) => loan.record)

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

const margin = ({ world, query }: Call): unknown => {
  const counterparty = query.text("otcCounterpartyId")
  const payer = query.text("payer")
  if (counterparty !== undefined && !uuid.test(counterparty)) {
    throw invalid("query", "otcCounterpartyId", "Input should be a UUID")
  }
  if (payer !== undefined && kindOf(payer) === undefined) {
    throw invalid("query", "payer", "Invalid address")
  }
  return marginRequirements(world).filter(
    (row) =>
      (counterparty === undefined || row.otcCounterpartyId === counterparty.toLowerCase()) &&
      (payer === undefined || addressKey(row.payer) === addressKey(payer)),
  )
}

const row = (
  path: string,
  documented: readonly string[],
  answer: Row["answer"],
  further: Partial<Row> = {},
): Row => ({ method: "GET", path, tier: "admin", documented, answer, ...further })

const minute = { cacheSeconds: 60 }

export const riskRows: readonly Row[] = [
  row("/risk/collateral_excess_or_deficit", ["amount_usd"], excessOrDeficit, minute),
  row("/risk/collateral_simulation", ["total_required_collateral_usd"], collateralSimulation, {
    method: "POST",
    ...minute,
  }),
  row("/risk/discount_factors", ["[].address", "[].chain"], ({ world }) => laddersOf(world), {
    tier: "key",
    ...minute,
  }),
  row("/dashboard/loans", [], loanBook, minute),
  row("/otc/position", [], ({ world }) => allOtcPositions(world)),
  row("/otc/margin_requirement", [], margin),
]
