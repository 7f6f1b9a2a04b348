// The swap of §4.3: the one row that changes something. The simulator swaps nothing; it only returns a result.
import { kindOf } from "../values/addresses.ts"
import { rawAmount } from "../values/amounts.ts"
import { choose, hexOf, keyOf, rounded, unit } from "../values/noise.ts"
import { chains } from "../generate/world.ts"
import { Body } from "../call/body.ts"
import type { Call, Row } from "../call/row.ts"
import { subaccountBy } from "../call/subject.ts"

/** "Enumerated" (§2.11), but not listed: the EVM chains this platform has. */
const swapChains = new Set([chains.ethereum, chains.arbitrum, chains.base])

const allMarkets = ["odos", "1inch", "cow"]

const side = (body: Body, name: "source" | "destination") => {
  const address = body.text(`${name}_token`)
  if (kindOf(address) !== "evm") throw body.fail(`${name}_token`, "Invalid EVM address")
  const chain = body.integer(`${name}_chain`)
  if (!swapChains.has(chain)) throw body.fail(`${name}_chain`, "Unsupported chain")
  return { address, chain }
}

const swap = (call: Call): unknown => {
  const { world } = call
  const body = new Body(call.body)
  const source = side(body, "source")
  const destination = side(body, "destination")
  const sourceAmount = body.number("source_amount")
  const destinationAmount = body.number("destination_amount")
  const markets = body.has("markets") ? body.list("markets").map(String) : []
  const maxSlippage = body.number("max_slippage") ?? 10
  // Both may be null by the table of §2.11, but then there is nothing to swap.
  if (sourceAmount === undefined && destinationAmount === undefined) {
    throw body.fail("source_amount", "source_amount or destination_amount is required")
  }
  const owner = subaccountBy(call, call.param("address"), "path")
  const key = keyOf("swap", owner.address, JSON.stringify(call.body))
  const slippage = rounded(unit(key, 1) * maxSlippage, 2)
  const sent = sourceAmount ?? destinationAmount! * (1 + slippage / 10_000)
  const received = destinationAmount ?? sent * (1 - slippage / 10_000)
  const raw = (amount: number) => rawAmount(amount, 18, world.options.bigIntegers)
  return {
    transaction_hash: hexOf(key, 32),
    source_token: { ...source, amount: rounded(sent, 8), amount_raw: raw(sent) },
    destination_token: { ...destination, amount: rounded(received, 8), amount_raw: raw(received) },
    fee: { amount_usd: rounded(sent * 0.0003, 6), bps: 3 },
    slippage_bps: slippage,
    market: choose(key, 2, markets.length > 0 ? markets : allMarkets),
  }
}

export const swapRows: readonly Row[] = [
  {
    method: "POST",
    path: "/subaccounts/{address}/swaps",
    tier: "key",
    documented: [],
    slow: true,
    answer: swap,
  },
]
