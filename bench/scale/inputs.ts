// The assumptions of the model of docs/scale.md: the platform, the service, machines and prices. None of them is known
// to be true; change a line and run `make bench ARGS=scale`.

export interface Input {
  readonly value: number
  readonly unit: string
  readonly description: string
}

const input = (value: number, unit: string, description: string): Input => ({
  value,
  unit,
  description,
})

export const platform = {
  vaults: input(10_000, "vaults", "all of them EVM vaults on one chain"),
  subaccounts: input(
    1_000_000,
    "subaccounts",
    "listed in the directory, all of them EVM addresses",
  ),
  years: input(1, "year", "of history that the first sync finds"),
  shareInDebt: input(0.05, "", "share of subaccounts with debt, whose collateral excess is read"),
  ladderTokens: input(10, "tokens", "with a discount-factor ladder; each is read for each debtor"),
  changedLoans: input(1000, "loans", "that the loan book changes in an hour"),
  failedTransactions: input(100, "transactions", "that fail in an hour"),
  shareChanging: input(0.1, "", "share of subaccounts whose figures change between two readings"),
} as const

export const service = {
  latency: input(0.1, "s", "a response takes; the simulator's takes less than 1 ms"),
} as const

export const failures = {
  between: input(
    30,
    "days",
    "between two deaths of one worker (machine replaced, killed, out of memory)",
  ),
  restart: input(60, "s", "until its supervisor has started it again"),
} as const

/** Rounded list prices of large clouds. */
export const PRICES_OF = "2026-11"
export const prices = {
  worker: input(70, "USD a month", "a machine with 2 cores and 8 GB, one worker"),
  postgres: input(250, "USD a month", "PostgreSQL with 4 cores, 16 GB and a standby"),
  planner: input(140, "USD a month", "a machine with 4 cores and 16 GB: plans, checks, publishes"),
  storage: input(0.023, "USD per GB and month", "object storage"),
  puts: input(0.005, "USD per 1,000", "requests that write an object"),
} as const
