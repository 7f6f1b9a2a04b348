// Maps a vault summary (§2.10) to one row, and to one for each part of its allocation.
import type * as Result from "effect/Result"
import { isJsonObject, type JsonObject, stableStringify } from "../../../domain/values/json.ts"
import { parseInstant } from "../../../domain/values/time.ts"
import type { VaultRef } from "../../../domain/subject/vault.ts"
import type { Violation } from "../../../domain/wire/violation.ts"
import { contentKeys } from "../../contentKey.ts"
import { echoedFields } from "../../fields/echoedFields.ts"
import { columnReader, namesOf, outerField, readColumn } from "../../fields/wireNames.ts"
import { mapRecords } from "../../mapRecords.ts"
import { recordsIn } from "../../shapes/recordsIn.ts"
import { otherRecords } from "../../shapes/undeclared.ts"
import { combined, type MappedResponse, type Source } from "../../Source.ts"
import { returnColumns, vaultSummaries } from "./vault_summaries.ts"
import { onNamedChain } from "./vaultRecords.ts"
import { vaultSummaryAllocations } from "./vault_summary_allocations.ts"

/** The fields with returns, as sent: their names may say the unit. */
const wireReturns = (record: JsonObject, source: Source<VaultRef>): JsonObject => {
  const names = returnColumns.flatMap((column) => namesOf(vaultSummaries, column, source))
  const fields = new Set(names.map(outerField))
  return Object.fromEntries(Object.entries(record).filter(([name]) => fields.has(name)))
}

const snapshotAt = (record: JsonObject, source: Source<VaultRef>): number | null => {
  const snapshot = namesOf(vaultSummaries, "latest_snapshot", source)
    .map((name) => record[name])
    .find(isJsonObject)
  const times = source.timeFields.map((name) => parseInstant(snapshot?.[name]))
  const own = readColumn(record, vaultSummaries, "latest_snapshot_at", source)
  return typeof own === "number" ? own : (times.find((time) => time !== undefined) ?? null)
}

/** One row for the summary, and one for each of its allocations. */
export const vaultSummaryRows = (
  record: JsonObject,
  requested: Source<VaultRef>,
): Result.Result<MappedResponse, Violation> => {
  const source = onNamedChain(record, requested)
  const { subject } = source
  const returns = wireReturns(record, source)
  const found = recordsIn(vaultSummaryAllocations, source)(record)
  const allocations = found?.records ?? []
  const positionOf = columnReader(vaultSummaryAllocations, "position", source)
  const key = { vault_address: subject.address, chain_id: subject.chainId }
  return combined(
    mapRecords({
      table: vaultSummaries,
      records: [record],
      source,
      computed: {
        ...key,
        recent_returns: Object.keys(returns).length === 0 ? null : stableStringify(returns),
        latest_snapshot_at: snapshotAt(record, source),
      },
      consumed: [
        ...Object.keys(returns),
        ...(found?.field === undefined ? [] : [found.field]),
        ...echoedFields(record, subject),
      ],
      at: () => "$",
    }),
    otherRecords(
      mapRecords({
        table: vaultSummaryAllocations,
        records: allocations,
        source,
        computed: {
          ...key,
          position: contentKeys(allocations.map((each) => ({ id: positionOf(each) }))),
        },
        // A summary without an allocation retires none.
        ...(found === undefined ? {} : { mergeKey: { vault_address: subject.address } }),
      }),
      vaultSummaryAllocations,
      found,
      source,
    ),
  )
}
