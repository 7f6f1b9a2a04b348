// Transactions of a subaccount (§2.5): about one every eighteen hours, decoded. Fields are invented.
import { addressOf, withLetterCase } from "../values/addresses.ts"
import { rawAmount } from "../values/amounts.ts"
import { hourMs, iso } from "../values/calendar.ts"
import { choose, hexOf, keyOf, pick, rounded, unit } from "../values/noise.ts"
import type { Subaccount } from "./subaccounts.ts"
import type { World } from "./world.ts"
import { chains } from "./world.ts"

const slotMs = 18 * hourMs
const functionNames = ["deposit", "withdraw", "swap", "claimRewards", "borrow", "repay"] as const

const transactionAt = (world: World, owner: Subaccount, slot: number, ms: number) => {
  const { seed, addressCase, bigIntegers } = world.options
  const key = keyOf(owner.key, "transaction", slot)
  const amount = rounded(10 ** (2 + 3 * unit(key, 1)), 6)
  const functionName = choose(key, 2, functionNames)
  const to = withLetterCase(addressOf("evm", seed, "contract", pick(key, 3, 9)), addressCase)
  const token = withLetterCase(addressOf("evm", seed, "token", "WETH"), addressCase)
  return {
    hash: hexOf(key, 32),
    chainId: choose(key, 4, [chains.ethereum, chains.arbitrum]),
    blockNumber: 20_000_000 + Math.floor((ms - world.startHour * hourMs) / 12_000),
    timestamp: iso(ms),
    from: owner.address,
    to,
    functionName,
    success: unit(key, 5) > 0.03,
    logs: [{ address: token, name: "Transfer", args: { from: owner.address, to } }],
    transfers: [
      {
        token,
        symbol: "WETH",
        from: owner.address,
        to,
        amount,
        amountRaw: rawAmount(amount, 18, bigIntegers),
      },
    ],
  }
}

/** Those between two instants, both inclusive, newest first. */
export const transactionsOf = (
  world: World,
  owner: Subaccount,
  fromMs: number,
  toMs: number,
): readonly unknown[] => {
  const startMs = world.startHour * hourMs
  const newest = Math.min(toMs, world.nowMs)
  const oldest = Math.max(fromMs, startMs)
  const found: unknown[] = []
  const lastSlot = Math.floor((newest - startMs) / slotMs)
  const firstSlot = Math.floor((oldest - startMs) / slotMs)
  for (let slot = lastSlot; slot >= Math.max(0, firstSlot); slot -= 1) {
    const ms = startMs + slot * slotMs + pick(owner.key + 20, slot, slotMs / 1000) * 1000
    if (ms < oldest || ms > newest) continue
    found.push(transactionAt(world, owner, slot, ms))
  }
  return found
}
