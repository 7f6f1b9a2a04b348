// Rows of §4.1 about how a vault is governed: fees, audit log, permissions, roles, timelocks.
import { addressOf, withLetterCase } from "../values/addresses.ts"
import { auditCategories, auditEntries, auditPage, auditRecord } from "../generate/audit-log.ts"
import { protocols } from "../generate/allocations.ts"
import { naive, parseMicros } from "../values/calendar.ts"
import { pick, unit } from "../values/noise.ts"
import { timelockStatuses, timelocksOf } from "../generate/timelocks.ts"
import type { Vault, World } from "../generate/world.ts"
import { invalid } from "../call/errors.ts"
import type { Call, Row } from "../call/row.ts"
import { chainScopedVault } from "../call/row.ts"

const member = (world: World, vault: Vault, role: string, index = 0): string => {
  const { seed, addressCase } = world.options
  return withLetterCase(addressOf("evm", seed, "role", vault.index, role, index), addressCase)
}

const fees = (call: Call): unknown => {
  const vault = chainScopedVault(call)
  return {
    vault_address: vault.address,
    chain_id: vault.chainId,
    management_fee_pct: pick(vault.key, 80, 5) * 0.5,
    performance_fee_pct: 10 + pick(vault.key, 81, 3) * 5,
    fee_recipient: member(call.world, vault, "fee_recipient"),
  }
}

const auditLog = (call: Call): unknown => {
  const { query, world } = call
  const cursor = query.text("before")
  const before = cursor === undefined ? Infinity : parseMicros(cursor)
  if (before === undefined) throw invalid("query", "before", "Input should be a timestamp")
  const category = query.oneOf("category", auditCategories)
  const limit = query.integer("limit", { min: 1, max: 200 }) ?? 50
  const vault = chainScopedVault(call)
  const all = auditEntries(world, vault).filter(
    (entry) => category === undefined || entry.category === category,
  )
  const { entries, more } = auditPage(all, before, limit)
  return {
    [world.options.seriesNames.auditEntries]: entries.map((entry) => auditRecord(vault, entry)),
    has_more: more,
  }
}

const permissions = (call: Call): unknown => {
  const vault = chainScopedVault(call)
  const granted = protocols.filter((_, index) => index === 0 || unit(vault.key + 100, index) < 0.6)
  return {
    vault_address: vault.address,
    permissions: granted.map((integration, index) => ({
      integration,
      functions: ["deposit", "withdraw", "claim", "borrow", "repay"].slice(
        0,
        2 + pick(vault.key + 101, index, 4),
      ),
    })),
  }
}

/** Custody enrichment fails for every fourth vault: its rows degrade and carry a warning (§4.1). */
const roles = (call: Call): unknown => {
  const { world } = call
  const vault = chainScopedVault(call)
  const degraded = vault.index % 4 === 3
  const row = (role: string, safe: boolean) => ({
    role,
    address: member(world, vault, role),
    is_safe: safe && !degraded,
    safe_threshold: safe && !degraded ? 2 + pick(vault.key, 102, 3) : null,
    custodian: degraded ? null : "self",
  })
  return {
    vault_address: vault.address,
    roles: [row("owner", true), row("guardian", true), row("curator", false), row("keeper", false)],
    warnings: degraded ? ["Custody enrichment failed; Safe details are missing"] : [],
  }
}

const timelocks = (call: Call): unknown => {
  const { query, world } = call
  const status = query.oneOf("status", [...timelockStatuses, "all"] as const) ?? "scheduled"
  const vault = chainScopedVault(call)
  const chosen = timelocksOf(world, vault).filter(
    (timelock) => status === "all" || timelock.status === status,
  )
  return {
    vault_address: vault.address,
    timelocks: chosen.map((timelock) => ({
      id: timelock.id,
      status: timelock.status,
      scheduled_at: naive(timelock.scheduledMs),
      executable_at: timelock.unread ? null : naive(timelock.executableMs),
      closed_at: timelock.closedMs === null ? null : naive(timelock.closedMs),
      function_name: timelock.action,
      labels: [timelock.action, vault.name],
    })),
    warnings: chosen
      .filter((timelock) => timelock.unread)
      .map((timelock) => `Could not read the duration of timelock ${timelock.id}`),
  }
}

const row = (path: string, documented: readonly string[], answer: Row["answer"]): Row => ({
  method: "GET",
  path,
  tier: "public",
  documented,
  answer,
})

export const governanceRows: readonly Row[] = [
  row("/platform/fees/{vault_address}", ["management_fee_pct", "performance_fee_pct"], fees),
  row(
    "/platform/governance/{vault_address}/audit_log",
    ["has_more", "entries", "entries[].timestamp", "entries[].type", "entries[].summary"],
    auditLog,
  ),
  row(
    "/platform/governance/{vault_address}/permissions",
    ["permissions", "permissions[].integration", "permissions[].functions"],
    permissions,
  ),
  row(
    "/platform/governance/{vault_address}/roles",
    ["roles", "roles[].role", "roles[].is_safe", "warnings"],
    roles,
  ),
  row(
    "/platform/governance/{vault_address}/timelocks",
    ["timelocks", "timelocks[].executable_at", "timelocks[].labels", "warnings"],
    timelocks,
  ),
]
