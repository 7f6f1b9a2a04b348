// core.audit_log: timelock events and manual entries in the governance of EVM vaults.
import { documented, field, integer } from "../../../domain/table/column.ts"
import type * as Result from "effect/Result"
import type { JsonObject } from "../../../domain/values/json.ts"
import type { Table } from "../../../domain/table/table.ts"
import { parseInstant } from "../../../domain/values/time.ts"
import type { VaultRef } from "../../../domain/subject/vault.ts"
import type { Violation } from "../../../domain/wire/violation.ts"
import { mapRecords } from "../../mapRecords.ts"
import { occurrences } from "../../occurrences.ts"
import { combined, type MappedResponse, type Source } from "../../Source.ts"
import { envelopeRows } from "../response_envelopes.ts"
import { vaultChainId, extra, vaultAddress } from "../shared.ts"

export const auditLog: Table = {
  schema: "core",
  name: "audit_log",
  mode: "history",
  grain: "vault, instant, type, summary and occurrence",
  comment:
    "Governance audit log. Entries have no id: those with equal instant, type and summary are numbered in the order of the page. What the log has shown stays: an entry that the service corrects is another row, and one that it withdraws does not end.",
  source: "GET /platform/governance/{vault_address}/audit_log (§4.1, §2.9)",
  key: ["vault_address", "chain_id", "occurred_at", "type", "summary", "occurrence"],
  time: "occurred_at",
  columns: [
    vaultAddress,
    vaultChainId,
    documented.timestamp("occurred_at", "When it happened; manual entries may be backdated", {
      names: ["timestamp"],
      required: true,
    }),
    documented.text("type", "Type of the entry, as sent", { required: true }),
    documented.text("summary", "What happened, as sent", { required: true }),
    integer(
      "occurrence",
      "1 for the first entry of this instant, type and summary, 2 for the next, …",
      { required: true },
    ),
    field.text("category", "Category, if the entry has one"),
    extra,
  ],
  example:
    "select occurred_at, vault_address, type, summary from core.audit_log order by occurred_at desc limit 20",
}

/** One row for each entry, in the order of the page. */
export const auditLogRows = (
  body: JsonObject & { readonly entries: ReadonlyArray<JsonObject> },
  source: Source<VaultRef>,
): Result.Result<MappedResponse, Violation> => {
  const { entries } = body
  const identities = entries.map(({ timestamp, type, summary }) =>
    JSON.stringify([parseInstant(timestamp), type, summary]),
  )
  return combined(
    mapRecords({
      table: auditLog,
      records: entries,
      source,
      computed: {
        vault_address: source.subject.address,
        chain_id: source.subject.chainId,
        occurrence: occurrences(identities),
      },
      at: (row) => `$.entries[${row}]`,
    }),
    envelopeRows(
      "audit_log",
      body,
      ["entries", "has_more"],
      source,
      source.inputs["before"] === undefined ? {} : { variant: "older pages", isPartOfList: true },
    ),
  )
}
