// Maps the list of vaults to core.vaults and core.vault_reported_metrics. §2.10 names no fields of a vault record.
import type * as Result from "effect/Result"
import { canonicalAddress } from "../../../domain/values/address.ts"
import type { JsonObject } from "../../../domain/values/json.ts"
import type { VaultRef } from "../../../domain/subject/vault.ts"
import type { Violation } from "../../../domain/wire/violation.ts"
import { movingNames, nestedNames, separateMoving } from "../../fields/movingFields.ts"
import { readColumn } from "../../fields/wireNames.ts"
import { mapRecords } from "../../mapRecords.ts"
import { combined, type MappedResponse, type Source } from "../../Source.ts"
import { vaultReportedMetrics } from "./vault_reported_metrics.ts"
import { vaults } from "./vaults.ts"

/** The window of a reading of both lists, which together are the whole set (docs/decisions/0010). */
export const wholeOfVaults = "active and closed"

/** The rows of one of the lists. */
export const vaultRows = (
  records: ReadonlyArray<JsonObject>,
  source: Source<null>,
): Result.Result<MappedResponse, Violation> => {
  const keys = records.map((record) => ({
    chain_id: readColumn(record, vaults, "chain_id", source),
    vault_address: readColumn(record, vaults, "vault_address", source),
  }))
  const metricFields = movingNames(vaultReportedMetrics, source)
  const nestedFields = nestedNames(metricFields)
  const isWhole = source.window === undefined || source.window === wholeOfVaults
  const descriptions = mapRecords({
    table: vaults,
    records: records.map((record) => ({
      ...separateMoving(record, nestedFields).fixed,
      status: record["status"] ?? source.inputs["status"],
    })),
    source,
    computed: { chain_type: keys.map(({ vault_address: address }) => kindOf(address)) },
    consumed: [...metricFields],
    ...(isWhole ? { mergeKey: {} } : {}),
  })
  const measured = records.flatMap((record, index) => {
    const { moving: figures } = separateMoving(record, metricFields)
    const { chain_id: chainId = null, vault_address: address = null } = keys[index] ?? {}
    // A vault without an address or chain has been rejected above.
    if (Object.keys(figures).length === 0 || chainId === null || address === null) return []
    return [{ chainId, address, figures }]
  })
  // A list without any figures retires none, neither here nor in the other list (`asOneSet`).
  const hasFigures = measured.length > 0 || records.length === 0
  const areComplete = isWhole && hasFigures && descriptions.rejected.length === 0
  const metrics = mapRecords({
    table: vaultReportedMetrics,
    records: measured.map(({ figures }) => figures),
    source,
    computed: {
      chain_id: measured.map(({ chainId }) => chainId),
      vault_address: measured.map(({ address }) => address),
    },
    ...(areComplete ? { mergeKey: {} } : {}),
  })
  return combined(descriptions, metrics)
}

const kindOf = (address: unknown): string =>
  typeof address === "string" ? (canonicalAddress(address)?.kind ?? "other") : "other"

/** The source with the chain that a description names, as the list of vaults does: the one requested, where it names none. */
export const onNamedChain = (record: JsonObject, source: Source<VaultRef>): Source<VaultRef> => {
  const chainId = readColumn(record, vaults, "chain_id", source)
  return typeof chainId === "number" && chainId > 0
    ? { ...source, subject: { ...source.subject, chainId } }
    : source
}
