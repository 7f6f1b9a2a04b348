// The `warnings` of a transparency record (§2.9): all there are about the vault at this endpoint, so those
// that no longer come have ended.
import { stableStringify } from "../../../domain/json.ts"
import type { VaultRef } from "../../../domain/vault.ts"
import { mapRecords, type Mapped } from "../../mapRecords.ts"
import type { Source } from "../../Source.ts"
import { observationWarnings } from "./observation_warnings.ts"

/** One row a warning; a warning served twice is one. */
export const warningRows = (
  endpoint: string,
  warnings: ReadonlyArray<unknown>,
  { origin, subject }: Source<VaultRef>,
): Mapped => {
  const texts = [
    ...new Set(
      warnings.map((warning) => (typeof warning === "string" ? warning : stableStringify(warning))),
    ),
  ]
  const entity = { endpoint, chain_id: subject.chainId, vault_address: subject.address }
  const mapped = mapRecords({
    table: observationWarnings,
    records: texts.map(() => ({})),
    origin,
    computed: { ...entity, warning: texts },
  })
  return { ...mapped, rows: { ...mapped.rows, scope: entity, beside: "warning" } }
}
