// Maps the `warnings` of a transparency record (§2.9). They are the whole set of a vault and endpoint, so that warnings
// which are no longer sent are retired.
import { stableStringify } from "../../../domain/values/json.ts"
import type { VaultRef } from "../../../domain/subject/vault.ts"
import { mapRecords } from "../../mapRecords.ts"
import type { Mapped, Source } from "../../Source.ts"
import { observationWarnings } from "./observation_warnings.ts"

/** One row for each distinct warning. */
export const warningRows = (
  endpoint: string,
  warnings: ReadonlyArray<unknown>,
  source: Source<VaultRef>,
): Mapped => {
  const texts = [
    ...new Set(
      warnings.map((warning) => (typeof warning === "string" ? warning : stableStringify(warning))),
    ),
  ]
  const { address, chainId } = source.subject
  const mergeKey = { endpoint, chain_id: chainId, vault_address: address }
  const mapped = mapRecords({
    table: observationWarnings,
    records: texts.map(() => ({})),
    source,
    computed: { ...mergeKey, warning: texts },
    mergeKey,
  })
  return { ...mapped, rows: { ...mapped.rows, secondary: "warning" } }
}
