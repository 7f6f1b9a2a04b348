// A vault's audit log (§2.9): live timelock events merged with manually recorded entries. Many
// entries share a timestamp, because the cursor of §4.1 skips ties at the end of a page.
import { dayMs, dayOfHour, hourMs, naive } from "../values/calendar.ts"
import { choose, hexOf, keyOf, pick, unit } from "../values/noise.ts"
import { governedFrom, timelocksOf } from "./timelocks.ts"
import type { Vault, World } from "./world.ts"

/** "A fixed enumeration" (§2.9) the document does not list: invented. */
export const auditCategories = [
  "timelock",
  "permission",
  "attestation",
  "role",
  "fee",
  "oracle",
] as const
export type AuditCategory = (typeof auditCategories)[number]

export interface AuditEntry {
  /** Microseconds since 1970; some manual entries differ only in them. */
  readonly micros: number
  readonly ordinal: number
  readonly category: AuditCategory
  readonly type: string
}

/** More entries at one instant than fit into one page of the default 50 (§8). */
const batchSize = 60
const batchDay = 20

const manual = auditCategories.slice(1)

/** The number of entries on a day, and the microseconds between them. */
const groupOn = (key: number, day: number, sinceStart: number): { size: number; gap: number } => {
  if (sinceStart === batchDay) return { size: batchSize, gap: 0 }
  const draw = unit(key, day)
  if (draw < 0.35) return { size: 0, gap: 0 }
  if (draw < 0.8) return { size: 1, gap: 0 }
  if (draw < 0.95) return { size: 2 + pick(key + 1, day, 5), gap: 0 }
  return { size: 3, gap: 3 }
}

const manualEntries = (world: World, vault: Vault): readonly AuditEntry[] => {
  const key = keyOf(vault.key, "audit")
  const from = governedFrom(world, vault) * hourMs
  const entries: AuditEntry[] = []
  const firstDay = dayOfHour(governedFrom(world, vault))
  for (let day = firstDay; day * dayMs <= world.nowMs; day += 1) {
    const { size, gap } = groupOn(key, day, day - firstDay)
    const ms = day * dayMs + pick(key + 2, day, 86_400) * 1000
    if (ms < from || ms > world.nowMs) continue
    const fraction = unit(key + 3, day) < 0.5 ? pick(key + 4, day, 999_000) : 0
    for (let index = 0; index < size; index += 1) {
      const category = choose(key + 5, day * 64 + index, manual)
      const micros = ms * 1000 + fraction + index * gap
      entries.push({ micros, ordinal: index, category, type: `${category}_recorded` })
    }
  }
  return entries
}

/** All entries, newest first; ties have a fixed order. */
export const auditEntries = (world: World, vault: Vault): readonly AuditEntry[] => {
  const live = timelocksOf(world, vault).flatMap((timelock) => {
    const { ordinal, status, scheduledMs, closedMs } = timelock
    const category = "timelock" as const
    const at = (ms: number, type: string) => ({ micros: ms * 1000, ordinal, category, type })
    const scheduled = at(scheduledMs, "timelock_scheduled")
    return closedMs === null ? [scheduled] : [scheduled, at(closedMs, `timelock_${status}`)]
  })
  return [...live, ...manualEntries(world, vault)].toSorted(
    (a, b) => b.micros - a.micros || a.ordinal - b.ordinal,
  )
}

export interface AuditPage {
  readonly entries: readonly AuditEntry[]
  readonly more: boolean
}

/** The newest `limit` entries strictly before the cursor (§4.1: ties are skipped). */
export const auditPage = (all: readonly AuditEntry[], before: number, limit: number): AuditPage => {
  const from = all.findIndex((entry) => entry.micros < before)
  if (from === -1) return { entries: [], more: false }
  return { entries: all.slice(from, from + limit), more: all.length > from + limit }
}

/** The number of entries a client receives that passes the last timestamp of each page back. */
export const auditSeen = (all: readonly AuditEntry[], limit: number): number => {
  let seen = 0
  for (let before = Infinity; ;) {
    const { entries, more } = auditPage(all, before, limit)
    seen += entries.length
    if (!more) return seen
    before = entries.at(-1)!.micros
  }
}

export const auditRecord = (vault: Vault, entry: AuditEntry): Record<string, unknown> => ({
  timestamp: naive(Math.floor(entry.micros / 1000), entry.micros % 1000),
  type: entry.type,
  category: entry.category,
  summary: `${entry.type.replaceAll("_", " ")} on ${vault.name} (#${entry.ordinal + 1})`,
  source: entry.category === "timelock" ? "onchain" : "manual",
  tx_hash:
    entry.category === "timelock"
      ? hexOf(keyOf(vault.key, "audit-tx", entry.type, entry.micros), 32)
      : null,
})
