// Loans (§2.4): each subaccount has up to three, as borrower or lender. Field names are invented.
import { addressOf, withLetterCase } from "../values/addresses.ts"
import { rawAmount } from "../values/amounts.ts"
import { dayMs, iso } from "../values/calendar.ts"
import { choose, pick, rounded, unit } from "../values/noise.ts"
import type { Subaccount } from "./subaccounts.ts"
import { directoryOf } from "./subaccounts.ts"
import type { World } from "./world.ts"
import { chains } from "./world.ts"

/** `ACTIVE` is documented; the others are not (§3). */
const loanStates = ["ACTIVE", "ACTIVE", "ACTIVE", "REPAID", "LIQUIDATED"] as const

export interface Loan {
  readonly address: string
  readonly chainId: number
  readonly state: (typeof loanStates)[number]
  readonly side: "BORROWER" | "LENDER"
  readonly principal: number
  readonly record: Record<string, unknown>
}

const loanAt = (world: World, owner: Subaccount, ordinal: number): Loan => {
  const { seed, addressCase, bigIntegers } = world.options
  const key = owner.key + 500 + ordinal * 16
  const evmAddress = (...parts: ReadonlyArray<string | number>) =>
    withLetterCase(addressOf("evm", seed, ...parts), addressCase)
  const address = evmAddress("loan", owner.index, ordinal)
  const chainId = choose(key, 1, [chains.ethereum, chains.arbitrum])
  const state = choose(key, 2, loanStates)
  const side = unit(key, 3) < 0.7 ? "BORROWER" : "LENDER"
  const principal = rounded(10 ** (4 + 2 * unit(key, 4)), 2)
  const interest = rounded(principal * 0.03 * unit(key, 5), 2)
  const counterparty = evmAddress("counterparty", pick(key, 6, 5))
  const startMs = (world.startHour / 24 + pick(key, 7, Math.max(1, world.options.days))) * dayMs
  const record = {
    loanAddress: address,
    chainId,
    state,
    borrower: side === "BORROWER" ? owner.address : counterparty,
    lender: side === "LENDER" ? owner.address : counterparty,
    principalToken: { address: evmAddress("token", "USDC"), symbol: "USDC", decimals: 6 },
    principalAmount: principal,
    principalAmountRaw: rawAmount(principal, 6, bigIntegers),
    interestAmount: interest,
    apr: rounded(0.04 + 0.08 * unit(key, 8), 4),
    lateApr: rounded(0.15 + 0.05 * unit(key, 9), 4),
    startDate: iso(startMs),
    nextPayment:
      state === "ACTIVE"
        ? {
            dueDate: iso((world.startHour / 24 + world.options.days + 10) * dayMs),
            amount: interest,
          }
        : null,
  }
  return { address, chainId, state, side, principal, record }
}

export const loansOf = (world: World, owner: Subaccount): readonly Loan[] =>
  Array.from({ length: pick(owner.key, 10, 4) }, (_, ordinal) => loanAt(world, owner, ordinal))

/** Every loan of every subaccount. */
export const allLoans = (world: World): ReadonlyArray<Loan & { readonly owner: Subaccount }> =>
  [...directoryOf(world).values()].flatMap((owner) =>
    loansOf(world, owner).map((loan) => ({ ...loan, owner })),
  )

/** USD owed by and to a subaccount on its active loans. */
export const debtAndCredit = (world: World, owner: Subaccount) => {
  const active = loansOf(world, owner).filter((loan) => loan.state === "ACTIVE")
  const total = (side: Loan["side"]): number =>
    rounded(
      active.reduce((sum, loan) => sum + (loan.side === side ? loan.principal : 0), 0),
      2,
    )
  return { active, debt: total("BORROWER"), credit: total("LENDER") }
}
