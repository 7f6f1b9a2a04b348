// core.audit_log: what happened in the governance of EVM vaults: timelock events and entries made by hand.
import * as Result from "effect/Result"
import type { JsonObject } from "../../../domain/json.ts"
import type { Table } from "../../../domain/table.ts"
import { parseInstant } from "../../../domain/time.ts"
import type { VaultRef } from "../../../domain/vault.ts"
import type { Violation } from "../../../domain/violation.ts"
import { mapRecords } from "../../mapRecords.ts"
import { occurrences } from "../../occurrences.ts"
import { type MappedAnswer, type Source, together } from "../../Source.ts"
import { chainId, extra, vaultAddress } from "../shared.ts"

export const auditLog: Table = {
  schema: "core",
  name: "audit_log",
  mode: "history",
  grain: "vault, instant, type, summary and occurrence",
  comment:
    "Governance audit log. Entries carry no id: those alike in instant, type and summary are numbered in the order served.",
  source: "GET /platform/governance/{vault_address}/audit_log (§4.1, §2.9)",
  key: ["vault_address", "chain_id", "occurred_at", "type", "summary", "occurrence"],
  time: "occurred_at",
  columns: [
    vaultAddress,
    { ...chainId, required: true },
    {
      name: "occurred_at",
      type: "timestamp",
      unit: "UTC",
      required: true,
      comment: "When it happened; entries made by hand may be dated back",
    },
    {
      name: "type",
      type: "text",
      required: true,
      fields: ["type"],
      comment: "Kind of entry, in the service's words",
    },
    {
      name: "summary",
      type: "text",
      required: true,
      fields: ["summary"],
      comment: "What happened, in a sentence of the service's",
    },
    {
      name: "occurrence",
      type: "integer",
      required: true,
      comment: "1 for the first entry of this instant, type and summary, 2 for the next, …",
    },
    {
      name: "category",
      type: "text",
      fields: ["category"],
      comment: "Category, where the entry carries one",
    },
    extra,
  ],
  example:
    "select occurred_at, vault_address, type, summary from core.audit_log order by occurred_at desc limit 20",
}

/** One row an entry, in the page's order. Fails where a timestamp is no instant. */
export const auditLogRows = (
  { entries }: { readonly entries: ReadonlyArray<JsonObject> },
  source: Source<VaultRef>,
): Result.Result<MappedAnswer, Violation> => {
  const times: Array<number> = []
  for (const [index, { timestamp }] of entries.entries()) {
    const at = parseInstant(timestamp)
    if (at === undefined) {
      return Result.fail({
        path: `$.entries[${index}].timestamp`,
        detail: `is not an instant: ${JSON.stringify(timestamp)}`,
      })
    }
    times.push(at)
  }
  const alike = entries.map(({ type, summary }, index) =>
    JSON.stringify([times[index], type, summary]),
  )
  const mapped = mapRecords({
    table: auditLog,
    records: entries,
    origin: source.origin,
    computed: {
      vault_address: source.subject.address,
      chain_id: source.subject.chainId,
      occurred_at: times,
      occurrence: occurrences(alike),
    },
    consumed: ["timestamp"],
  })
  return Result.succeed(together(mapped))
}
