// Rows of §4.1 that explain rather than publish: oracle classification and the revert reason.
import { allocationsOn } from "../generate/allocations.ts"
import { addressOf, withLetterCase } from "../values/addresses.ts"
import { dayOfHour, isoDay } from "../values/calendar.ts"
import { bits, choose, keyOf, rounded } from "../values/noise.ts"
import { lastHour } from "../generate/world.ts"
import { ApiError, notFound } from "../call/errors.ts"
import type { Call, Row } from "../call/row.ts"
import { vaultBy } from "../call/row.ts"

const pricingClasses = ["Primary", "Secondary Market", "CeFi"] as const

/** From the newest daily snapshot (§2.9); field names beyond `warnings` are invented. */
const oracleClassification = (call: Call): unknown => {
  const { world, query } = call
  const chainId = query.requiredInteger("chainId")
  const vault = vaultBy(call, call.param("vault_address"))
  const day = dayOfHour(lastHour(world, vault))
  const rows = allocationsOn(world, vault, day)
  if (vault.chainId !== chainId || rows.length === 0) {
    throw notFound(`No snapshot of vault ${vault.address} on chain ${chainId}`)
  }
  const { seed, addressCase } = world.options
  const positions = rows.map(({ protocol, usd }) => ({
    position: `${protocol} ${vault.asset}`,
    protocol,
    token_symbol: vault.asset,
    token_address: withLetterCase(addressOf("evm", seed, "token", vault.asset), addressCase),
    pricing_class: choose(keyOf(vault.key, "oracle", protocol), 0, pricingClasses),
    usd_value: usd,
  }))
  const totals = pricingClasses.map((name) => ({
    pricing_class: name,
    usd_value: rounded(
      positions.reduce((sum, at) => sum + (at.pricing_class === name ? at.usd_value : 0), 0),
      2,
    ),
  }))
  return {
    vault_address: vault.address,
    snapshot_date: isoDay(day),
    positions,
    totals,
    warnings: vault.index % 5 === 1 ? ["Token LP-UNKNOWN could not be resolved"] : [],
  }
}

const revertReason = ({ world, query }: Call): unknown => {
  const hash = query.required("transactionHash")
  const chain = query.requiredInteger("chain")
  if (!world.options.tracingChains.includes(chain)) {
    throw new ApiError(501, `The RPC of chain ${chain} does not support debug_traceTransaction`)
  }
  // Half of all transactions match nothing: every array is empty then (§2.9).
  const matched = bits(keyOf("revert", hash.toLowerCase()), 0) % 2 === 0
  return {
    transaction_hash: hash,
    chain_id: chain,
    revert_reasons: matched ? ["ERC20: transfer amount exceeds balance"] : [],
    revert_strings: matched ? ["execution reverted"] : [],
    universal_subaccount_errors: matched ? ["SubaccountCallFailed"] : [],
  }
}

export const diagnosticRows: readonly Row[] = [
  {
    method: "GET",
    path: "/platform/oracle_classification/{vault_address}",
    tier: "public",
    documented: ["warnings"],
    answer: oracleClassification,
  },
  {
    method: "GET",
    path: "/revert_reason",
    tier: "public",
    documented: ["revert_reasons"],
    answer: revertReason,
  },
]
