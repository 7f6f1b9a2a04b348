// Timelock requests of a vault (§2.9, §3): one about every ten days, in every state.
import { hourMs } from "../values/calendar.ts"
import { choose, hexOf, keyOf, pick } from "../values/noise.ts"
import type { Vault, World } from "./world.ts"

export const timelockStatuses = ["scheduled", "executed", "cancelled"] as const
export type TimelockStatus = (typeof timelockStatuses)[number]

export interface Timelock {
  readonly ordinal: number
  readonly id: string
  readonly status: TimelockStatus
  readonly scheduledMs: number
  readonly executableMs: number
  /** When it was executed or cancelled. */
  readonly closedMs: number | null
  /** The read of the contract's duration failed: executable_at is null, with a warning (§2.9). */
  readonly unread: boolean
  readonly action: string
}

/** Duration of every timelock contract. */
export const timelockMs = 48 * hourMs
const spacingHours = 240

const actions = ["setFee", "grantRole", "revokeRole", "setOracle", "addMarket", "setCap"] as const

/** The hour at which a vault's governance begins; a vault may have governance without history. */
export const governedFrom = (world: World, vault: Vault): number =>
  vault.firstHour === Infinity ? world.startHour : vault.firstHour

const outcome = (
  ordinal: number,
  scheduledMs: number,
  nowMs: number,
): { status: TimelockStatus; closedMs: number | null } => {
  const pending = { status: "scheduled" as const, closedMs: null }
  if (ordinal % 7 === 3) return pending
  const cancelled = ordinal % 5 === 4
  const closedMs = scheduledMs + (cancelled ? 12 * hourMs : timelockMs + 3 * hourMs)
  return closedMs > nowMs ? pending : { status: cancelled ? "cancelled" : "executed", closedMs }
}

/** Newest first. */
export const timelocksOf = (world: World, vault: Vault): readonly Timelock[] => {
  const key = keyOf(vault.key, "timelock")
  const from = governedFrom(world, vault) * hourMs
  const timelocks: Timelock[] = []
  for (let ordinal = 0; ; ordinal += 1) {
    const jitterMs = pick(key, ordinal, (spacingHours - 24) * 3600) * 1000
    const scheduledMs = from + ordinal * spacingHours * hourMs + jitterMs
    if (scheduledMs > world.nowMs) return timelocks.toReversed()
    timelocks.push({
      ordinal,
      id: hexOf(keyOf(key, ordinal), 32),
      ...outcome(ordinal, scheduledMs, world.nowMs),
      scheduledMs,
      executableMs: scheduledMs + timelockMs,
      unread: ordinal % 14 === 3,
      action: choose(key + 1, ordinal, actions),
    })
  }
}
