// What a subaccount holds (§2.2, §2.5): summary, positions elsewhere, and its health (§2.3). Figures are those of
// `now`; only the times of calculation follow the clock.
import { addressOf, withLetterCase } from "../values/addresses.ts"
import { rawAmount } from "../values/amounts.ts"
import { protocols } from "./allocations.ts"
import { iso } from "../values/calendar.ts"
import { choose, hexOf, keyOf, pick, rounded, unit } from "../values/noise.ts"
import { debtAndCredit, loansOf } from "./loans.ts"
import type { Subaccount } from "./subaccounts.ts"
import { holdingsOf } from "./subaccounts.ts"
import type { World } from "./world.ts"
import { chains } from "./world.ts"

const tokenAddress = (world: World, symbol: string): string =>
  withLetterCase(addressOf("evm", world.options.seed, "token", symbol), world.options.addressCase)

const tokensOf = (world: World, owner: Subaccount) => {
  const value = holdingsOf(owner, world.nowMs)
  return (["USDC", "WETH"] as const).map((symbol, index) => {
    const usd = rounded(value * (index === 0 ? 0.6 : 0.4), 2)
    const amount = symbol === "USDC" ? usd : usd / 2600
    return {
      chainId: chains.ethereum,
      address: tokenAddress(world, symbol),
      symbol,
      amount: rounded(amount, 8),
      amountRaw: rawAmount(amount, symbol === "USDC" ? 6 : 18, world.options.bigIntegers),
      usdValue: usd,
    }
  })
}

/** The health factor of a subaccount without debt; the document gives no number for it. */
const factorWithoutDebt = 999

const healthOf = (world: World, owner: Subaccount) => {
  const collateral = rounded(holdingsOf(owner, world.nowMs) * 0.85, 2)
  const { debt } = debtAndCredit(world, owner)
  return {
    collateral,
    debt,
    factor: debt === 0 ? factorWithoutDebt : rounded(collateral / debt, 6),
  }
}

export const healthRecord = (world: World, owner: Subaccount, clock: number) => {
  const { collateral, debt, factor } = healthOf(world, owner)
  return {
    healthFactor: factor,
    totalCollateral: collateral,
    totalLoan: debt,
    dateTime: iso(clock),
    id: hexOf(keyOf("health", owner.address, clock), 32),
  }
}

export const cefiPositions = (owner: Subaccount) =>
  Array.from({ length: pick(owner.key, 30, 3) }, (_, index) => ({
    exchange: choose(owner.key + 31, index, ["binance", "bybit", "deribit"]),
    symbol: "ETH-PERP",
    side: unit(owner.key + 32, index) < 0.5 ? "LONG" : "SHORT",
    size: rounded(10 * unit(owner.key + 33, index), 4),
    entryPrice: 2600,
    markPrice: 2612.5,
    unrealizedPnl: rounded(1000 * (unit(owner.key + 34, index) - 0.5), 2),
  }))

export const defiPositions = (world: World, owner: Subaccount) =>
  Array.from({ length: 1 + pick(owner.key, 35, 3) }, (_, index) => ({
    chainId: chains.ethereum,
    protocol: choose(owner.key + 36, index, protocols),
    type: "lending",
    usdValue: rounded(holdingsOf(owner, world.nowMs) * 0.1 * unit(owner.key + 37, index), 2),
  }))

export const summaryRecord = (
  world: World,
  owner: Subaccount,
  otcPositions: readonly unknown[],
) => {
  const tokens = tokensOf(world, owner)
  const value = holdingsOf(owner, world.nowMs)
  const { collateral, debt, factor } = healthOf(world, owner)
  const { credit } = debtAndCredit(world, owner)
  return {
    address: owner.address,
    name: owner.name,
    type: owner.type,
    chains: [{ chainId: chains.ethereum, name: "Ethereum" }],
    tokens,
    healthFactor: factor,
    netAccountValue: rounded(value + credit - debt, 2),
    totalAccountValue: rounded(value + credit, 2),
    totalCollateralValue: collateral,
    totalEquityValue: rounded(value - debt, 2),
    totalLoanValue: debt,
    loanbook: {
      aggregatesByToken: [{ symbol: "USDC", debt, credit }],
      loans: loansOf(world, owner).map((loan) => loan.record),
      totalCredit: credit,
      totalDebt: debt,
    },
    portfolio: {
      cefiPositions: cefiPositions(owner),
      collateralBalances: [{ symbol: "USDC", usdValue: collateral }],
      defiPositions: defiPositions(world, owner),
      discountedValue: collateral,
      legacyHedgerPositions: [],
      marginBalances: [],
      otcPositions,
      strategyContractPositions: [],
      tokens,
      totalValue: value,
      trsPositions: [],
    },
  }
}

/** Cross-chain protocol positions: positions and tokens, and a breakdown per strategy (§2.5). */
export const protocolPositions = (world: World, owner: Subaccount, clock: number) => {
  const positions = defiPositions(world, owner)
  return {
    address: owner.address,
    calculatedAt: iso(clock),
    totalUsdValue: holdingsOf(owner, world.nowMs),
    positions,
    tokens: tokensOf(world, owner),
    strategies: [
      { name: `${owner.name} main`, positions, usdValue: holdingsOf(owner, world.nowMs) },
    ],
  }
}
